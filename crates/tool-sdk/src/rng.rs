//! The step's generators, for tools that draw from them.

use std::cell::RefCell;
use std::rc::Rc;

use tapedeck_core::trace::Value;
use tapedeck_core::trace::rng_state::RngState;
use tapedeck_tools::libm::Ours;
use tapedeck_tools::{mt, numpy_gauss, python_gauss, seeded_state};

use crate::{Call, Failure, FromArgument};

/// Python's `random` and NumPy's `RandomState`, as the step left them; what a tool draws moves them on.
#[derive(Clone, Debug)]
pub struct Rng(Rc<RefCell<RngState>>);

impl Rng {
    pub(crate) fn new(state: RngState) -> Rng {
        Rng(Rc::new(RefCell::new(state)))
    }

    /// Generators of the tool's own, as `random.seed(seed)` and `numpy.random.seed(seed)` leave them.
    pub fn seeded(seed: u32) -> Rng {
        Rng::new(seeded_state(seed))
    }

    pub(crate) fn capture(&self) -> Value {
        self.0.borrow().capture()
    }

    /// Python's `random()`.
    pub fn random(&self) -> f64 {
        mt::next_double(&mut self.0.borrow_mut().python.mt)
    }

    /// Python's `randrange(n)`; 0 when n is 0.
    pub fn below(&self, n: u64) -> u64 {
        mt::next_below(&mut self.0.borrow_mut().python.mt, n)
    }

    /// Python's `gauss(0, 1)`.
    ///
    /// # Errors
    /// When the step's state brought something into `gauss_next` that is no number.
    pub fn gauss(&self) -> Result<Value, Failure> {
        python_gauss(&mut self.0.borrow_mut().python, &mut Ours).map_err(|error| match error {
            tapedeck_tools::ToolError::Raised(error) => Failure::from(error),
            tapedeck_tools::ToolError::Refused(reason) => Failure::new("RuntimeError", reason),
        })
    }

    /// NumPy's `random_sample()`.
    pub fn numpy_random(&self) -> f64 {
        mt::next_double(&mut self.0.borrow_mut().numpy.mt)
    }

    /// NumPy's `standard_normal()`.
    pub fn numpy_normal(&self) -> f64 {
        numpy_gauss(&mut self.0.borrow_mut().numpy, &mut Ours)
    }
}

impl FromArgument for Rng {
    const IS_RNG: bool = true;
    const IS_OPTIONAL: bool = false;

    fn from_argument(call: &Call, _name: &str) -> Result<Rng, Failure> {
        call.rng().cloned().ok_or_else(|| Failure::new("ValueError", "the request brings no generator state"))
    }
}
