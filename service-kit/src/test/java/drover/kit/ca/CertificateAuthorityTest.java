package drover.kit.ca;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.model.NodeId;
import drover.trust.identity.CertificateRequestKeyPair;
import drover.trust.identity.PeerRule;
import drover.trust.identity.PeerRule.TlsRole;
import drover.trust.identity.SpiffeId;
import drover.trust.identity.TrustDomain;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PublicKey;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HexFormat;
import java.util.List;
import org.bouncycastle.asn1.pkcs.PKCSObjectIdentifiers;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.ExtensionsGenerator;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.bouncycastle.pkcs.jcajce.JcaPKCS10CertificationRequestBuilder;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CertificateAuthorityTest {
    private static final TrustDomain DOMAIN = new TrustDomain("mesh.test");
    private static final SpiffeId NODE = DOMAIN.node(new NodeId("berth-01"));
    private final Instant now = Instant.now().truncatedTo(ChronoUnit.SECONDS);

    private final CertificateAuthority authority =
            opened(CertificateAuthority.create("mesh", now, Duration.ofDays(1)));

    private static CertificateAuthority opened(CertificateAuthority.NewCa founded) {
        return CertificateAuthority.fromPem(founded.certificatePem(), founded.keyPem());
    }

    private X509Certificate issued(PublicKey key) {
        return authority.issue(
                CertificateTemplate.ofNode(NODE, BigInteger.TEN, now, Duration.ofHours(24)), key);
    }

    @Test
    void aCaSignsLeavesAndNoOtherCa() throws Exception {
        KeyPairGenerator keys = KeyPairGenerator.getInstance("EC");
        keys.initialize(new ECGenParameterSpec("secp256r1"));
        assertThat(authority.certificate().getBasicConstraints()).as("path length").isZero();
        assertThat(issued(keys.generateKeyPair().getPublic()).getBasicConstraints())
                .as("no CA")
                .isEqualTo(-1);
    }

    @Test
    @DisplayName("H14 an authority whose key others may read is refused")
    void anAuthorityWhoseKeyOthersMayReadIsRefused(@TempDir Path directory) throws Exception {
        CertificateAuthority.NewCa founded =
                CertificateAuthority.create("mesh", now, Duration.ofDays(1));
        Path key = directory.resolve("authority-key.pem");
        Files.writeString(directory.resolve("authority.pem"), founded.certificatePem());
        Files.writeString(key, founded.keyPem());
        Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-r--r--"));
        assertThatThrownBy(() -> CertificateAuthority.fromDirectory(directory))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("can be read by others: run chmod 600");

        Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-------"));
        assertThat(
                        CertificateAuthority.fromDirectory(directory)
                                .certificate()
                                .getSubjectX500Principal()
                                .getName())
                .contains("mesh");
    }

    @Test
    void aNodesCertificateNamesItAndIsGoodForConnectingAlone() throws Exception {
        CertificateRequestKeyPair key = CertificateRequestKeyPair.create();
        X509Certificate leaf = issued(key.publicKey());

        leaf.verify(authority.certificate().getPublicKey());
        assertThat(leaf.getPublicKey()).isEqualTo(key.publicKey());
        assertThat(leaf.getNotBefore().toInstant()).isEqualTo(now.minusSeconds(300));
        assertThat(leaf.getNotAfter().toInstant()).isEqualTo(now.plus(Duration.ofHours(24)));
        assertThat(leaf.getExtendedKeyUsage()).containsExactly(TlsRole.CLIENT.extendedKeyUsage());
        assertThat(leaf.getBasicConstraints()).isNegative();
        assertThat(PeerRule.ofNodes(DOMAIN).requireAdmitted(leaf, TlsRole.CLIENT)).isEqualTo(NODE);
        assertThatThrownBy(() -> PeerRule.ofNodes(DOMAIN).requireAdmitted(leaf, TlsRole.SERVER))
                .hasMessageContaining("not one for a server");
    }

    @Test
    @DisplayName("H4 nothing of a request but its key gets into a certificate")
    void nothingOfARequestButItsKeyGetsIntoACertificate() throws Exception {
        KeyPair pair = pair("secp256r1");
        X509Certificate leaf = issued(CertificateRequestKeyVerifier.verifiedKey(greedy(pair)));

        assertThat(leaf.getPublicKey()).isEqualTo(pair.getPublic());
        assertThat(leaf.getSubjectX500Principal()).hasToString("CN=berth-01");
        assertThat(SpiffeId.of(leaf)).isEqualTo(NODE);
        assertThat(leaf.getBasicConstraints()).isNegative();
    }

    /** A request that wants to be a gateway and an authority. */
    private static byte[] greedy(KeyPair pair) throws Exception {
        ExtensionsGenerator wishes = new ExtensionsGenerator();
        wishes.addExtension(Extension.basicConstraints, true, new BasicConstraints(true));
        wishes.addExtension(
                Extension.subjectAlternativeName,
                false,
                new GeneralNames(
                        new GeneralName(
                                GeneralName.uniformResourceIdentifier,
                                DOMAIN.service("gateway").toString())));
        return new JcaPKCS10CertificationRequestBuilder(
                        new X500Name("CN=gateway"), pair.getPublic())
                .addAttribute(PKCSObjectIdentifiers.pkcs_9_at_extensionRequest, wishes.generate())
                .build(new JcaContentSignerBuilder("SHA256withECDSA").build(pair.getPrivate()))
                .getEncoded();
    }

    private static KeyPair pair(String curve) throws Exception {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec(curve));
        return generator.generateKeyPair();
    }

    @Test
    void theRequestThatAnAgentWritesIsUnderstood() {
        CertificateRequestKeyPair key = CertificateRequestKeyPair.create();
        assertThat(CertificateRequestKeyVerifier.verifiedKey(key.signingRequest()))
                .isEqualTo(key.publicKey());
    }

    @Test
    void refusesARequestForTheKeyOfAnotherNode() throws Exception {
        KeyPair mine = pair("secp256r1");
        KeyPair theirs = pair("secp256r1");
        byte[] stolen =
                new JcaPKCS10CertificationRequestBuilder(new X500Name("CN=x"), theirs.getPublic())
                        .build(
                                new JcaContentSignerBuilder("SHA256withECDSA")
                                        .build(mine.getPrivate()))
                        .getEncoded();
        assertThatThrownBy(() -> CertificateRequestKeyVerifier.verifiedKey(stolen))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("not signed with the key");
    }

    @Test
    void theKeyInARequestCannotBeExchanged() {
        CertificateRequestKeyPair key = CertificateRequestKeyPair.create();
        byte[] request = key.signingRequest();
        byte[] requested = key.publicKey().getEncoded();
        HexFormat hex = HexFormat.of();
        int at = hex.formatHex(request).indexOf(hex.formatHex(requested)) / 2;
        assertThat(at).isPositive();
        for (int i = at; i < at + requested.length; i++) {
            byte[] changed = request.clone();
            changed[i] ^= 1;
            assertThatThrownBy(() -> CertificateRequestKeyVerifier.verifiedKey(changed))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void anAuthorityIsNoPeer() {
        assertThatThrownBy(
                        () ->
                                PeerRule.ofNodes(DOMAIN)
                                        .requireAdmitted(authority.certificate(), TlsRole.CLIENT))
                .hasMessageContaining("an authority's");
    }

    @Test
    void aKeyOfAnotherKindIsRefused() throws Exception {
        byte[] other =
                new JcaPKCS10CertificationRequestBuilder(
                                new X500Name("CN=x"), pair("secp384r1").getPublic())
                        .build(
                                new JcaContentSignerBuilder("SHA256withECDSA")
                                        .build(pair("secp384r1").getPrivate()))
                        .getEncoded();
        assertThatThrownBy(() -> CertificateRequestKeyVerifier.verifiedKey(other))
                .hasMessageContaining("P-256");
    }

    @Test
    void largeAndBrokenRequestsAreRefusedInASentence() {
        for (byte[] broken : List.of(new byte[0], new byte[] {0x30}, new byte[5000])) {
            assertThatThrownBy(() -> CertificateRequestKeyVerifier.verifiedKey(broken))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    @DisplayName("H14 no key is in what is printed")
    void noKeyIsInWhatIsPrinted() {
        CertificateAuthority.NewCa founded =
                CertificateAuthority.create("mesh", now, Duration.ofDays(1));
        String body = founded.keyPem().lines().skip(1).findFirst().orElseThrow();
        assertThat(founded.toString() + opened(founded) + CertificateRequestKeyPair.create())
                .doesNotContain(body);
    }

    @Test
    void serialsAreLongAndPositive() {
        BigInteger serial = CertificateTemplate.newSerial(new java.security.SecureRandom());
        assertThat(serial.signum()).isEqualTo(1);
        assertThat(serial.bitLength()).isEqualTo(127);
    }
}
