package drover.coordinator;

import drover.coordinator.access.ConfiguredApiKeyGrant;
import drover.coordinator.token.TrustedTokenIssuer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Who may call the operators' doors.
 *
 * @param insecure whoever reaches a door may do everything; only where all doors are on loopback
 * @param keyFiles the directory in which granted keys are kept; empty: none are granted
 * @param grants the keys to grant
 * @param issuer whose tokens are taken; empty: nobody's
 */
public record OperatorAccessConfig(
        boolean insecure,
        Optional<Path> keyFiles,
        List<ConfiguredApiKeyGrant> grants,
        Optional<TrustedTokenIssuer> issuer) {
    public OperatorAccessConfig {
        grants = List.copyOf(grants);
    }

    /** With the usual keys, and these, in a directory. */
    public static OperatorAccessConfig withKeyFiles(
            Path directory, List<ConfiguredApiKeyGrant> more) {
        List<ConfiguredApiKeyGrant> grants = new ArrayList<>(ConfiguredApiKeyGrant.DEFAULTS);
        grants.addAll(more);
        return new OperatorAccessConfig(false, Optional.of(directory), grants, Optional.empty());
    }

    /** The same, which also takes tokens. */
    public OperatorAccessConfig withTokenIssuer(TrustedTokenIssuer tokens) {
        return new OperatorAccessConfig(insecure, keyFiles, grants, Optional.of(tokens));
    }

    /** Asking nobody for anything. */
    public static OperatorAccessConfig withoutAuthentication() {
        return new OperatorAccessConfig(true, Optional.empty(), List.of(), Optional.empty());
    }
}
