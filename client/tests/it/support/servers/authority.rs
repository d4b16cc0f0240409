//! A certificate authority for the tests.

use std::sync::{Arc, LazyLock};

use rcgen::{BasicConstraints, Certificate, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use rcgen::{ExtendedKeyUsagePurpose, KeyUsagePurpose, date_time_ymd};
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::PrivateKeyDer;

pub struct Authority {
    key: Vec<u8>,
    certificate: Certificate,
    issuer: Issuer<'static, KeyPair>,
}

/// The authority that the tests' fetcher trusts.
pub fn test() -> &'static Authority {
    static TEST: LazyLock<Authority> = LazyLock::new(|| Authority::new("The tests' authority"));
    &TEST
}

impl Authority {
    pub fn new(name: &str) -> Authority {
        let mut params = CertificateParams::new(Vec::default()).unwrap();
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        let key = KeyPair::generate().unwrap();
        let certificate = params.self_signed(&key).unwrap();
        let secret = key.serialize_der();
        Authority { key: secret, certificate, issuer: Issuer::new(params, key) }
    }

    pub fn pem(&self) -> String {
        self.certificate.pem()
    }

    /// The TLS settings of a server with a certificate for a name (or an address).
    pub fn server(&self, name: &str, protocols: &[&str]) -> Arc<ServerConfig> {
        self.server_until(name, protocols, 2096)
    }

    /// The same, with a certificate that expires at the beginning of `year`.
    pub fn server_until(&self, name: &str, protocols: &[&str], year: i32) -> Arc<ServerConfig> {
        let mut params = CertificateParams::new(vec![name.to_owned()]).unwrap();
        params.not_before = date_time_ymd(2000, 1, 1);
        params.not_after = date_time_ymd(year, 1, 1);
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        params.use_authority_key_identifier_extension = true;
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        let mut config = config(&certificate, key.serialize_der());
        config.alpn_protocols = protocols.iter().map(|name| name.as_bytes().to_vec()).collect();
        Arc::new(config)
    }

    /// The TLS settings of a server that shows the certificate of the authority as its own.
    pub fn as_server(&self) -> Arc<ServerConfig> {
        Arc::new(config(&self.certificate, self.key.clone()))
    }
}

fn config(certificate: &Certificate, key: Vec<u8>) -> ServerConfig {
    ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate.der().clone()], PrivateKeyDer::try_from(key).unwrap())
        .unwrap()
}
