//! Errors of TLS, in words, and certificates that are accepted in spite of them.

use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{AlertDescription, CertificateError, DigitallySignedStruct, Error, SignatureScheme};

use super::progress;
use crate::cause::line;
use crate::time::Timestamp;

/// The most names of a certificate that are told.
const NAMES: usize = 3;

/// Accepts certificates that are not valid, and notes in the attempt what is wrong with them.
#[derive(Debug)]
pub(super) struct Accepting(pub(super) Arc<dyn ServerCertVerifier>);

impl ServerCertVerifier for Accepting {
    fn verify_server_cert(
        &self,
        own: &CertificateDer<'_>,
        between: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        match self.0.verify_server_cert(own, between, name, ocsp, now) {
            Err(error @ Error::InvalidCertificate(_)) => {
                progress::accepted(in_words(&error));
                Ok(ServerCertVerified::assertion())
            }
            result => result,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.0.verify_tls12_signature(message, certificate, signed)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.0.verify_tls13_signature(message, certificate, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.supported_verify_schemes()
    }
}

/// The error as a person understands it. Rare ones are told in the words of the library.
pub(super) fn in_words(error: &Error) -> String {
    match error {
        Error::InvalidCertificate(cause) => of_certificate(cause),
        Error::NoCertificatesPresented => "it shows no certificate".to_owned(),
        Error::AlertReceived(alert) => of_alert(*alert),
        Error::PeerIncompatible(cause) => {
            format!("it speaks another TLS than this side: {cause:?}")
        }
        Error::InvalidMessage(cause) => {
            format!("what it sends is not TLS, or not in order: {cause:?}")
        }
        Error::PeerMisbehaved(cause) => format!("it breaks the rules of TLS: {cause:?}"),
        other => line(&other.to_string()),
    }
}

fn of_certificate(error: &CertificateError) -> String {
    match error {
        CertificateError::Expired => "its certificate has expired".to_owned(),
        CertificateError::ExpiredContext { not_after, .. } => {
            format!("its certificate expired on {}", day(not_after.as_secs()))
        }
        CertificateError::NotValidYet => "its certificate is not valid yet".to_owned(),
        CertificateError::NotValidYetContext { not_before, .. } => {
            format!("its certificate is not valid before {}", day(not_before.as_secs()))
        }
        CertificateError::NotValidForName => "its certificate is for other names".to_owned(),
        CertificateError::NotValidForNameContext { expected, presented } => {
            let expected = expected.to_str();
            match presented.is_empty() {
                true => format!("its certificate is not for {expected}, and names no host"),
                false => {
                    format!("its certificate is not for {expected} but for {}", names(presented))
                }
            }
        }
        CertificateError::UnknownIssuer => {
            "nobody who is trusted has signed its certificate: it has signed that itself, or a \
             certificate in between is missing"
                .to_owned()
        }
        CertificateError::Revoked => "its certificate was revoked".to_owned(),
        CertificateError::BadEncoding => "its certificate cannot be read".to_owned(),
        CertificateError::BadSignature => "the signature of its certificate is wrong".to_owned(),
        CertificateError::InvalidPurpose | CertificateError::InvalidPurposeContext { .. } => {
            "its certificate is not for web servers".to_owned()
        }
        // The name of an error that is private to the library: what `openssl req -x509` makes.
        CertificateError::Other(other) if other.to_string().contains("CaUsedAsEndEntity") => {
            "its certificate is that of an authority: most likely it has signed that itself"
                .to_owned()
        }
        other => line(&format!("its certificate is invalid: {other}")),
    }
}

fn of_alert(alert: AlertDescription) -> String {
    match alert {
        AlertDescription::HandshakeFailure
        | AlertDescription::ProtocolVersion
        | AlertDescription::InsufficientSecurity => {
            format!("it accepts none of the versions and ciphers offered ({alert:?})")
        }
        AlertDescription::UnrecognisedName => {
            "it does not know the name (UnrecognisedName)".to_owned()
        }
        AlertDescription::CertificateRequired => {
            "it wants a certificate of this side (CertificateRequired)".to_owned()
        }
        other => format!("it ended the handshake ({other:?})"),
    }
}

/// The first names, of texts such as `DnsName("a.example")`.
fn names(presented: &[String]) -> String {
    let name = |text: &String| {
        let inner = text.split_once('(').and_then(|(_, rest)| rest.strip_suffix(')'));
        inner.unwrap_or(text).trim_matches('"').to_owned()
    };
    let shown: Vec<String> = presented.iter().take(NAMES).map(name).collect();
    let more = match presented.len() - shown.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    line(&(shown.join(", ") + &more))
}

/// The day of a time: `01 Jan 2020`.
fn day(seconds: u64) -> String {
    // Wed, 01 Jan 2020 00:00:00 GMT: RFC 9110, section 5.6.7.
    let text = httpdate::fmt_http_date(Timestamp(seconds).into());
    text.get(5..16).unwrap_or(&text).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_few_and_days_are_days() {
        let of = |texts: &[&str]| {
            names(&texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>())
        };
        assert_eq!(of(&["DnsName(\"a.test\")"]), "a.test");
        assert_eq!(of(&["a", "b", "c", "d", "e"]), "a, b, c and 2 more");
        assert_eq!(day(1_577_836_800), "01 Jan 2020");
        assert_eq!(of_certificate(&CertificateError::Revoked), "its certificate was revoked");
    }
}
