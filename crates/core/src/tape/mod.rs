//! EigenScript tapes, format 2.
