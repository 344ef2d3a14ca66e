package drover.kit.edge;

import drover.kit.start.Setting;
import drover.kit.start.Settings;
import drover.kit.tls.LiveIdentity;
import drover.kit.tls.TlsFiles;
import drover.model.identity.TrustDomain;
import java.nio.file.Path;
import java.util.Optional;

/** How a service is told which certificate to show: a directory for each of its doors. */
public final class IdentitySettings {
    static final String DOMAIN = "trust-domain";

    private IdentitySettings() {}

    /** The setting that names a directory with {@code chain.pem, key.pem} and {@code trust.pem}. */
    public static Setting directory(String name, String meaning) {
        return Setting.of(name, "DIR", meaning, "");
    }

    /** The setting that names the mesh. */
    public static Setting domain() {
        return Setting.of(DOMAIN, "NAME", "The name of the mesh in every certificate.", "");
    }

    /**
     * What the directory holds, looked at again every few seconds; empty when none was named.
     *
     * @throws drover.kit.tls.TlsProblem with one sentence, when its files are not good
     */
    public static Optional<LiveIdentity> open(Settings settings, String name) {
        return Optional.of(settings.get(name))
                .filter(text -> !text.isEmpty())
                .map(text -> TlsFiles.in(Path.of(text)))
                .map(files -> LiveIdentity.open(files, LiveIdentity.USUAL_LOOK));
    }

    /**
     * The mesh that the certificates of this setting belong to.
     *
     * @throws IllegalArgumentException with one sentence, when nobody said it
     */
    public static TrustDomain domain(Settings settings, String name) {
        String text = settings.get(DOMAIN);
        if (text.isEmpty()) {
            throw new IllegalArgumentException(
                    "--" + name + " needs --trust-domain, the mesh's own name.");
        }
        return new TrustDomain(text);
    }
}
