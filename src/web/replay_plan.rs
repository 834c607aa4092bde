//! The order of a replay: which steps are fetched from the reader, which run, and what follows a step that never ends.
//!
//! Two messages are on their way at any time, so that neither worker waits for the other. The payloads are only passed on.
//!
//! Invariant: every step gets exactly one outcome or one "stopped"; a step is called stopped only when it was alone on the bench
//! or known to have begun.

/// Steps in a message at most; the reader sends fewer when they are large.
const BATCH_STEPS: u32 = 512;

/// What is to be done next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Order<P> {
    /// Ask the reader for steps.
    Fetch {
        /// From this one on.
        first: u32,
        /// At most so many.
        count: u32,
    },
    /// Send them to the tools worker.
    Run {
        /// The first of them.
        first: u32,
        /// Whether each is to be told before it runs.
        is_careful: bool,
        /// The packed steps.
        payload: P,
    },
    /// End the tools worker; the next message starts another.
    Restart,
    /// Tell the reader that this step could not be run to its end.
    Stopped {
        /// The step.
        step: u32,
    },
    /// The replay is over.
    Done,
}

#[derive(Debug)]
struct Running {
    /// The step whose outcome comes next.
    next: u32,
    /// The step after the last of the batch.
    end: u32,
    /// The step that was told to have begun.
    began: Option<u32>,
}

/// A replay under way.
#[derive(Debug)]
pub struct Plan<P> {
    end: u32,
    /// The step up to which everything was asked of the reader.
    fetched: u32,
    /// The batch that was asked for, by its first step.
    fetching: Option<u32>,
    ready: Option<(u32, u32, P)>,
    running: Option<Running>,
    is_careful: bool,
}

impl<P> Plan<P> {
    /// A replay of the steps from `first` up to `end`, and how it begins.
    pub fn begin(first: u32, end: u32) -> (Self, Vec<Order<P>>) {
        let mut plan = Self { end, fetched: first, fetching: None, ready: None, running: None, is_careful: false };
        let orders = plan.go_on();
        (plan, orders)
    }

    fn go_on(&mut self) -> Vec<Order<P>> {
        let mut orders = Vec::new();
        if self.running.is_none()
            && let Some((first, count, payload)) = self.ready.take()
        {
            self.running = Some(Running { next: first, end: first + count, began: None });
            orders.push(Order::Run { first, is_careful: self.is_careful, payload });
            self.is_careful = false;
        }
        if self.fetching.is_none() && self.ready.is_none() && self.fetched < self.end {
            self.fetching = Some(self.fetched);
            orders.push(Order::Fetch { first: self.fetched, count: (self.end - self.fetched).min(BATCH_STEPS) });
        }
        if self.fetching.is_none() && self.ready.is_none() && self.running.is_none() {
            orders.push(Order::Done);
        }
        orders
    }

    /// The reader sent steps.
    pub fn batch(&mut self, first: u32, count: u32, payload: P) -> Vec<Order<P>> {
        // After a restart an older batch may still arrive.
        if self.fetching != Some(first) {
            return Vec::new();
        }
        self.fetching = None;
        if count == 0 {
            self.end = first;
        } else {
            self.fetched = first + count;
            self.ready = Some((first, count, payload));
        }
        self.go_on()
    }

    /// A step began.
    pub fn began(&mut self, step: u32) {
        if let Some(running) = &mut self.running {
            running.began = Some(step);
        }
    }

    /// Outcomes came for the steps before `next`.
    pub fn outcomes(&mut self, next: u32, is_last: bool) -> Vec<Order<P>> {
        if let Some(running) = &mut self.running {
            running.next = next;
        }
        if is_last {
            self.running = None;
            return self.go_on();
        }
        Vec::new()
    }

    /// The tools worker said nothing for too long, or is lost.
    pub fn lost(&mut self) -> Vec<Order<P>> {
        let mut orders = vec![Order::Restart];
        let (resume, stopped) = match self.running.take() {
            None => (self.ready.as_ref().map_or(self.fetched, |(first, ..)| *first), None),
            Some(running) if running.began == Some(running.next) || running.end - running.next <= 1 => {
                (running.next + 1, Some(running.next))
            }
            Some(running) => (running.next, None),
        };
        // Which of several steps it was is not known: they run again, each told before it begins.
        self.is_careful = stopped.is_none();
        orders.extend(stopped.map(|step| Order::Stopped { step }));
        self.ready = None;
        self.fetching = None;
        self.fetched = resume.min(self.end);
        orders.extend(self.go_on());
        orders
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;

    /// Plays both workers: batches of at most `size` steps; the steps in `endless` never end. Returns the outcomes and the stops.
    fn play(first: u32, end: u32, size: u32, endless: &[u32], module: &[u32]) -> (Vec<u32>, Vec<u32>) {
        let (mut plan, orders) = Plan::begin(first, end);
        let mut queue: std::collections::VecDeque<Order<u32>> = orders.into();
        let (mut outcomes, mut stops) = (Vec::new(), Vec::new());
        for _ in 0..10_000 {
            match queue.pop_front().expect("the plan waits for nothing") {
                Order::Done => return (outcomes, stops),
                Order::Restart => {}
                Order::Stopped { step } => stops.push(step),
                Order::Fetch { first, count } => queue.extend(plan.batch(first, count.min(size), count.min(size))),
                Order::Run { first, is_careful, payload } => {
                    let last = first + payload;
                    let mut sent = first;
                    let mut is_stuck = false;
                    for step in first..last {
                        if is_careful || module.contains(&step) {
                            outcomes.extend(sent..step);
                            sent = step;
                            assert!(plan.outcomes(step, false).is_empty());
                            plan.began(step);
                        }
                        is_stuck = endless.contains(&step);
                        if is_stuck {
                            break;
                        }
                    }
                    if is_stuck {
                        queue.extend(plan.lost());
                    } else {
                        outcomes.extend(sent..last);
                        queue.extend(plan.outcomes(last, true));
                    }
                }
            }
        }
        panic!("it never ends");
    }

    #[test]
    fn every_step_gets_one_outcome() {
        for (first, end, size) in [(0, 0, 5), (0, 1, 5), (3, 4, 1), (0, 23, 5), (0, 1500, 512)] {
            let (outcomes, stops) = play(first, end, size, &[], &[]);
            assert_eq!(outcomes, (first..end).collect::<Vec<_>>());
            assert!(stops.is_empty());
        }
    }

    #[test]
    fn endless_steps_are_stopped_and_the_others_run() {
        for module in [&[][..], &[0, 7, 8, 22]] {
            let endless = [0, 7, 8, 22];
            let (outcomes, stops) = play(0, 23, 5, &endless, module);
            assert_eq!(stops, endless);
            let wanted: Vec<u32> = (0..23).filter(|step| !endless.contains(step)).collect();
            assert_eq!(outcomes, wanted);
        }
    }

    #[test]
    fn a_late_batch_of_before_a_restart_is_not_run() {
        let (mut plan, _) = Plan::begin(0, 100);
        plan.batch(0, 10, "a");
        let orders = plan.lost();
        assert_eq!(orders, [Order::Restart, Order::Fetch { first: 0, count: 100 }]);
        assert!(plan.batch(10, 10, "late").is_empty());
        let orders = plan.batch(0, 10, "again");
        assert_eq!(orders[0], Order::Run { first: 0, is_careful: true, payload: "again" });
    }
}
