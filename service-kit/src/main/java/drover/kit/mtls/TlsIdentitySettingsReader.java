package drover.kit.mtls;

import drover.kit.config.SettingDefinition;
import drover.kit.config.Settings;
import drover.kit.tls.ReloadingIdentity;
import drover.kit.tls.TlsFiles;
import drover.trust.identity.TrustDomain;
import java.nio.file.Path;
import java.util.Optional;

/** How a service is told which certificate to show: a directory for each of its doors. */
public final class TlsIdentitySettingsReader {
    static final String DOMAIN = "trust-domain";

    private TlsIdentitySettingsReader() {}

    /** The setting that names a directory with {@code chain.pem, key.pem} and {@code trust.pem}. */
    public static SettingDefinition directorySetting(String name, String meaning) {
        return SettingDefinition.of(name, "DIR", meaning, "");
    }

    /** The setting that names the mesh. */
    public static SettingDefinition domain() {
        return SettingDefinition.of(
                DOMAIN, "NAME", "The name of the mesh in every certificate.", "");
    }

    /**
     * What the directory holds, looked at again every few seconds; empty when none was named.
     *
     * @throws drover.kit.tls.InvalidTlsFiles with one sentence, when its files are not good
     */
    public static Optional<ReloadingIdentity> openIdentity(Settings settings, String name) {
        return Optional.of(settings.get(name))
                .filter(text -> !text.isEmpty())
                .map(text -> TlsFiles.in(Path.of(text)))
                .map(
                        files ->
                                ReloadingIdentity.open(
                                        files, ReloadingIdentity.DEFAULT_RELOAD_INTERVAL));
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
