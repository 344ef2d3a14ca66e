package drover.gateway;

import drover.kit.ca.CertificateAuthority;
import drover.kit.config.SettingDefinition;
import drover.kit.config.Settings;
import drover.kit.grpc.Address;
import drover.kit.mtls.TlsIdentitySettingsReader;
import drover.kit.tls.ReloadingIdentity;
import drover.trust.identity.NodeCertificateLifetime;
import drover.trust.identity.TrustDomain;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** What a gateway is told of certificates. */
final class AgentEndpointTlsSettings {
    static final String TLS = "tls";
    private static final String TOKENS = "token-listen";
    private static final String AUTHORITY = "authority";
    private static final String ENROLLMENT = "enrol-listen";
    private static final String HOURS = "certificate-hours";

    static final List<SettingDefinition> SETTINGS =
            List.of(
                    TlsIdentitySettingsReader.directorySetting(
                            TLS,
                            "Its chain.pem, key.pem and trust.pem; agents then show certificates."),
                    SettingDefinition.of(
                            TOKENS,
                            "HOST:PORT",
                            "With --tls: a plain door beside it, for agents that show tokens.",
                            ""),
                    SettingDefinition.of(
                            AUTHORITY,
                            "DIR",
                            "With --tls: authority.pem and authority-key.pem; machines are enrolled.",
                            ""),
                    SettingDefinition.of(
                            ENROLLMENT,
                            "HOST:PORT",
                            "Where machines are enrolled.",
                            "127.0.0.1:7447"),
                    SettingDefinition.of(
                            HOURS, "N", "How long a node's certificate lasts, 1 to 168.", "24"));

    private AgentEndpointTlsSettings() {}

    /**
     * As they were set; empty where agents show tokens.
     *
     * @throws IllegalArgumentException with one sentence
     */
    static Optional<AgentEndpointTls> read(Settings settings) {
        Optional<ReloadingIdentity> identity =
                TlsIdentitySettingsReader.openIdentity(settings, TLS);
        if (identity.isEmpty()) {
            Stream.of(TOKENS, AUTHORITY, ENROLLMENT, HOURS)
                    .filter(settings::isSet)
                    .findFirst()
                    .ifPresent(AgentEndpointTlsSettings::rejectWithoutTls);
            return Optional.empty();
        }
        TrustDomain domain = TlsIdentitySettingsReader.domain(settings, TLS);
        Optional<EnrollmentEndpointConfig> enrollment = readEnrollment(settings);
        return Optional.of(
                new AgentEndpointTls(
                        identity.get(),
                        domain,
                        findSetting(settings, TOKENS).map(Address::parse),
                        enrollment));
    }

    private static void rejectWithoutTls(String setting) {
        throw new IllegalArgumentException(
                "--" + setting + " needs --tls, the directory with the gateway's certificate.");
    }

    private static Optional<EnrollmentEndpointConfig> readEnrollment(Settings settings) {
        return findSetting(settings, AUTHORITY)
                .map(
                        authority ->
                                new EnrollmentEndpointConfig(
                                        Address.parse(settings.get(ENROLLMENT)),
                                        CertificateAuthority.fromDirectory(Path.of(authority)),
                                        NodeCertificateLifetime.requireValid(
                                                readCertificateLifetime(settings))));
    }

    private static Optional<String> findSetting(Settings settings, String name) {
        return Optional.of(settings.get(name)).filter(text -> !text.isEmpty());
    }

    private static Duration readCertificateLifetime(Settings settings) {
        String text = settings.get(HOURS);
        if (!text.matches("[0-9]{1,3}")) {
            throw new IllegalArgumentException(
                    "--" + HOURS + " is a number from 1 to 168, not '" + text + "'.");
        }
        return Duration.ofHours(Integer.parseInt(text));
    }
}
