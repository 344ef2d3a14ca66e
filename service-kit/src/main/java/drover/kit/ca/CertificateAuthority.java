package drover.kit.ca;

import drover.kit.config.UntrimmedSecretFile;
import drover.trust.Pem;
import drover.trust.identity.CertificateRequestKeyPair;
import drover.trust.identity.PeerRule.TlsRole;
import drover.trust.identity.TlsKeyChainAndTrust;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.cert.CertificateEncodingException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.regex.Pattern;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x500.X500NameBuilder;
import org.bouncycastle.asn1.x500.style.BCStyle;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.asn1.x509.SubjectPublicKeyInfo;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509ExtensionUtils;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/** Signs certificates with a key that never leaves it. */
public final class CertificateAuthority {
    private static final Pattern NUMBERS = Pattern.compile("[0-9.]+|[0-9a-fA-F:]*:[0-9a-fA-F:]*");

    private final X509Certificate certificate;
    private final PrivateKey key;

    private CertificateAuthority(X509Certificate certificate, PrivateKey key) {
        this.certificate = certificate;
        this.key = key;
    }

    /** What a new authority is: two PEM files, the second for its owner's eyes alone. */
    public record NewCa(String certificatePem, String keyPem) {
        /** Never the key (H14). */
        @Override
        public String toString() {
            return "NewCa";
        }
    }

    /**
     * A new authority, which vouches for itself.
     *
     * @param name for people who look at its certificates
     */
    public static NewCa create(String name, Instant now, Duration life) {
        CertificateRequestKeyPair own = CertificateRequestKeyPair.create();
        CertificateTemplate plan =
                CertificateTemplate.ofCa(
                        name, CertificateTemplate.newSerial(new SecureRandom()), now, life);
        X509Certificate certificate =
                sign(
                        plan,
                        own.publicKey(),
                        distinguishedName(name),
                        own.publicKey(),
                        own.privateKey());
        return new NewCa(toPem(List.of(certificate)), own.pem());
    }

    /**
     * An authority from its files.
     *
     * @throws IllegalArgumentException with one sentence when they are not those of an authority
     */
    public static CertificateAuthority fromPem(String certificatePem, String keyPem) {
        TlsKeyChainAndTrust read =
                TlsKeyChainAndTrust.parse(certificatePem, keyPem, certificatePem);
        return new CertificateAuthority(read.leaf(), read.key());
    }

    /**
     * An authority from its directory: {@code authority.pem} and {@code authority-key.pem}.
     *
     * @throws IllegalArgumentException with one sentence when it is none, and when others may read
     *     its key
     */
    public static CertificateAuthority fromDirectory(Path directory) {
        try {
            return fromPem(
                    Files.readString(directory.resolve("authority.pem")),
                    UntrimmedSecretFile.read(directory.resolve("authority-key.pem")));
        } catch (IOException e) {
            throw new IllegalArgumentException(
                    directory + " must hold authority.pem and authority-key.pem.", e);
        }
    }

    /** Its own certificate, which others trust. */
    public X509Certificate certificate() {
        return certificate;
    }

    /** A certificate of this authority. */
    public X509Certificate issue(CertificateTemplate plan, PublicKey holder) {
        X500Name issuer = X500Name.getInstance(certificate.getSubjectX500Principal().getEncoded());
        return sign(plan, holder, issuer, certificate.getPublicKey(), key);
    }

    /** Certificates as a PEM file has them. */
    public static String toPem(List<X509Certificate> certificates) {
        StringBuilder text = new StringBuilder();
        for (X509Certificate each : certificates) {
            try {
                text.append(Pem.write("CERTIFICATE", each.getEncoded()));
            } catch (CertificateEncodingException e) {
                throw new IllegalStateException("A certificate that was read can be written", e);
            }
        }
        return text.toString();
    }

    private static X509Certificate sign(
            CertificateTemplate plan,
            PublicKey holder,
            X500Name issuer,
            PublicKey issuerKey,
            PrivateKey signer) {
        X509v3CertificateBuilder builder =
                new X509v3CertificateBuilder(
                        issuer,
                        plan.serial(),
                        Date.from(plan.notBefore()),
                        Date.from(plan.notAfter()),
                        distinguishedName(plan.commonName()),
                        SubjectPublicKeyInfo.getInstance(holder.getEncoded()));
        try {
            addExtensions(builder, plan, holder, issuerKey);
            return new JcaX509CertificateConverter()
                    .getCertificate(
                            builder.build(
                                    new JcaContentSignerBuilder("SHA256withECDSA").build(signer)));
        } catch (IOException | OperatorCreationException | GeneralSecurityException e) {
            throw new IllegalStateException("A planned certificate can be signed", e);
        }
    }

    private static void addExtensions(
            X509v3CertificateBuilder builder,
            CertificateTemplate plan,
            PublicKey holder,
            PublicKey issuerKey)
            throws IOException, GeneralSecurityException {
        JcaX509ExtensionUtils keys = new JcaX509ExtensionUtils();
        builder.addExtension(
                        Extension.subjectKeyIdentifier,
                        false,
                        keys.createSubjectKeyIdentifier(holder))
                .addExtension(
                        Extension.authorityKeyIdentifier,
                        false,
                        keys.createAuthorityKeyIdentifier(issuerKey))
                .addExtension(
                        Extension.basicConstraints,
                        true,
                        plan.isCa() ? new BasicConstraints(0) : new BasicConstraints(false))
                .addExtension(Extension.keyUsage, true, keyUsage(plan));
        if (!plan.roles().isEmpty()) {
            builder.addExtension(Extension.extendedKeyUsage, false, extendedKeyUsage(plan));
        }
        GeneralName[] names = subjectAltNames(plan);
        if (names.length > 0) {
            builder.addExtension(Extension.subjectAlternativeName, false, new GeneralNames(names));
        }
    }

    private static KeyUsage keyUsage(CertificateTemplate plan) {
        return new KeyUsage(
                plan.isCa() ? KeyUsage.keyCertSign | KeyUsage.cRLSign : KeyUsage.digitalSignature);
    }

    private static ExtendedKeyUsage extendedKeyUsage(CertificateTemplate plan) {
        return new ExtendedKeyUsage(
                plan.roles().stream()
                        .sorted()
                        .map(CertificateAuthority::keyPurpose)
                        .toArray(KeyPurposeId[]::new));
    }

    private static KeyPurposeId keyPurpose(TlsRole role) {
        return switch (role) {
            case CLIENT -> KeyPurposeId.id_kp_clientAuth;
            case SERVER -> KeyPurposeId.id_kp_serverAuth;
        };
    }

    private static GeneralName[] subjectAltNames(CertificateTemplate plan) {
        List<GeneralName> names = new ArrayList<>();
        plan.uris()
                .forEach(
                        uri ->
                                names.add(
                                        new GeneralName(
                                                GeneralName.uniformResourceIdentifier, uri)));
        plan.hosts()
                .forEach(
                        host ->
                                names.add(
                                        new GeneralName(
                                                NUMBERS.matcher(host).matches()
                                                        ? GeneralName.iPAddress
                                                        : GeneralName.dNSName,
                                                host)));
        return names.toArray(GeneralName[]::new);
    }

    private static X500Name distinguishedName(String commonName) {
        return new X500NameBuilder(BCStyle.INSTANCE).addRDN(BCStyle.CN, commonName).build();
    }

    /** Never the key (H14). */
    @Override
    public String toString() {
        return "CertificateAuthority[" + certificate.getSubjectX500Principal() + "]";
    }
}
