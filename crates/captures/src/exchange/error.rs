//! Why a store could not be exported or imported.

use std::{error, fmt, io};

use robotsieve_client::store::StoreError;

/// Why a store could not be exported or imported.
#[derive(Debug)]
#[non_exhaustive]
pub enum ExchangeError {
    /// The store cannot be opened, read or written.
    Store(StoreError),
    /// The file that is made, or a temporary one, cannot be read or written.
    Io(io::Error),
}

impl From<StoreError> for ExchangeError {
    fn from(cause: StoreError) -> ExchangeError {
        ExchangeError::Store(cause)
    }
}

impl From<io::Error> for ExchangeError {
    fn from(cause: io::Error) -> ExchangeError {
        ExchangeError::Io(cause)
    }
}

impl fmt::Display for ExchangeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ExchangeError::Store(cause) => cause.fmt(f),
            ExchangeError::Io(cause) => cause.fmt(f),
        }
    }
}

impl error::Error for ExchangeError {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match self {
            ExchangeError::Store(cause) => Some(cause),
            ExchangeError::Io(cause) => Some(cause),
        }
    }
}
