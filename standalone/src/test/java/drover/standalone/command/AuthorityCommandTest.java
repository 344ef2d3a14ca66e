package drover.standalone.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import drover.kit.ca.CertificateAuthority;
import drover.trust.identity.PeerRule;
import drover.trust.identity.PeerRule.TlsRole;
import drover.trust.identity.SpiffeId;
import drover.trust.identity.SpkiPin;
import drover.trust.identity.TlsKeyChainAndTrust;
import drover.trust.identity.TrustDomain;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.cert.X509Certificate;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Authorities and certificates of services, as people type them. */
class AuthorityCommandTest {
    private static final String ISSUE =
            "authority issue @services --service gateway --trust-domain mesh.example"
                    + " --host gw-1.example.net --host 127.0.0.1 --out @gw-1";

    @TempDir Path directory;
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private Path at(String name) {
        return directory.resolve(name);
    }

    /** With {@code @} standing for the directory. */
    private int run(String typed) {
        return CommandTreeTest.tree(out, err)
                .execute(typed.replace("@", directory + "/").split(" ", -1));
    }

    private static String mode(Path file) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
    }

    private TlsKeyChainAndTrust issued() throws IOException {
        return TlsKeyChainAndTrust.parse(
                Files.readString(at("gw-1/chain.pem")),
                Files.readString(at("gw-1/key.pem")),
                Files.readString(at("gw-1/trust.pem")));
    }

    @Test
    @DisplayName("H14 an authority's key is its owner's alone, and is kept")
    void anAuthoritysKeyIsItsOwnersAloneAndIsKept() throws IOException {
        assertThat(run("authority create @nodes")).as(err.toString()).isZero();

        assertThat(mode(at("nodes/authority-key.pem"))).isEqualTo("rw-------");
        assertThat(out.toString().strip())
                .isEqualTo(
                        SpkiPin.of(CertificateAuthority.fromDirectory(at("nodes")).certificate())
                                .value());
        String key = Files.readString(at("nodes/authority-key.pem"));
        assertThat(run("authority create @nodes")).isEqualTo(1);
        assertThat(err.toString()).contains("holds an authority already");
        assertThat(at("nodes/authority-key.pem")).hasContent(key);
    }

    @Test
    void serviceReceivesItsIdentityAndTrust() throws Exception {
        assertThat(run("authority create @nodes")).isZero();
        assertThat(run("authority create @services")).isZero();
        assertThat(run(ISSUE + " --trust @nodes/authority.pem")).as(err.toString()).isZero();

        TlsKeyChainAndTrust files = issued();
        X509Certificate services = CertificateAuthority.fromDirectory(at("services")).certificate();
        files.leaf().verify(services.getPublicKey());
        assertThat(files.chain()).endsWith(services);
        assertThat(files.authorities())
                .containsExactly(CertificateAuthority.fromDirectory(at("nodes")).certificate());
        assertThat(
                        PeerRule.ofServices(new TrustDomain("mesh.example"), "gateway")
                                .requireAdmitted(files.leaf(), TlsRole.SERVER))
                .hasToString("spiffe://mesh.example/svc/gateway");
        assertThat(mode(at("gw-1/key.pem"))).isEqualTo("rw-------");
    }

    @Test
    @DisplayName("D-155: without a service's name it is for hosts alone, and no door's business")
    void whatIsNoServiceGetsACertificateOfItsHosts() throws Exception {
        assertThat(run("authority create @stores")).isZero();
        String issue = "authority issue @stores --host db.example.net --host 127.0.0.1 --out @gw-1";
        assertThat(run(issue)).as(err.toString()).isZero();

        X509Certificate leaf = issued().leaf();
        leaf.verify(CertificateAuthority.fromDirectory(at("stores")).certificate().getPublicKey());
        assertThat(leaf.getSubjectAlternativeNames())
                .containsExactlyInAnyOrder(
                        List.of(2, "db.example.net"), List.of(7, "127.0.0.1")); // DNS, IP
        assertThatIllegalArgumentException().isThrownBy(() -> SpiffeId.of(leaf));

        assertThat(run(issue + " --trust-domain mesh.example")).isEqualTo(1);
        assertThat(err.toString()).contains("--trust-domain needs --service");
        assertThat(run(issue + " --service gateway")).isEqualTo(1);
        assertThat(err.toString()).contains("--service needs --trust-domain");
    }

    @Test
    void withoutAnyOtherTheServiceTrustsItsOwnAuthority() throws IOException {
        assertThat(run("authority create @services")).isZero();
        assertThat(run(ISSUE)).as(err.toString()).isZero();
        assertThat(issued().authorities())
                .containsExactly(CertificateAuthority.fromDirectory(at("services")).certificate());
    }

    @Test
    void errorsWithoutASingleSentence() {
        assertThat(run(ISSUE)).isEqualTo(1);
        assertThat(err.toString()).contains("must hold authority.pem and authority-key.pem");
        assertThat(run("authority create @services")).isZero();
        assertThat(run(ISSUE.replace("mesh.example", "MESH"))).isEqualTo(1);
        assertThat(err.toString()).contains("'MESH' is no trust domain");
        assertThat(run(ISSUE + " --days 0")).isEqualTo(1);
        assertThat(err.toString()).contains("--days takes a number from 1 to 36500");
    }

    @Test
    void unknownServiceGetsNone() {
        assertThat(run("authority create @services")).isZero();
        assertThat(run(ISSUE.replace("--service gateway", "--service gatway"))).isEqualTo(1);
        assertThat(err.toString())
                .contains(
                        "--service takes one of [coordinator, gateway, health, manifest, prepare],"
                                + " not 'gatway'.");
        assertThat(at("gw-1")).doesNotExist();
    }
}
