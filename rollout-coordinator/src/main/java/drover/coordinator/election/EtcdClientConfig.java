package drover.coordinator.election;

import drover.kit.tls.ReloadingIdentity;
import drover.kit.tls.TlsCredentials;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.ClientBuilder;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolConfig.Protocol;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectedListenerFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectorFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.IdentityCipherSuiteFilter;
import io.netty.handler.ssl.JdkSslContext;
import io.netty.handler.ssl.SslContext;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * How the members of etcd are dialled: plain, or with TLS 1.3 at which both ends prove themselves.
 * Each member's certificate must be for the host under which it is named.
 *
 * @param endpoints of all members
 * @param identity what is shown to etcd, and whom it is believed by; empty: plain
 */
record EtcdClientConfig(List<URI> endpoints, Optional<ReloadingIdentity> identity) {
    // etcd closes connections that ask more often than every 5 s
    private static final Duration KEEPALIVE = Duration.ofSeconds(10);
    private static final Duration KEEPALIVE_ANSWER = Duration.ofSeconds(5);
    // A member that is cut off from the others says so, and does not let whoever asks it wait.
    private static final String REQUIRE_LEADER = "hasleader";

    EtcdClientConfig {
        endpoints = List.copyOf(endpoints);
    }

    /** Opens connections of its own; it asks nobody yet. */
    Client open(LeaseDeadlineCalculator terms) {
        ClientBuilder builder =
                Client.builder()
                        .endpoints(endpoints)
                        .header(REQUIRE_LEADER, "true")
                        .connectTimeout(terms.requestTimeout())
                        .keepaliveTime(KEEPALIVE)
                        .keepaliveTimeout(KEEPALIVE_ANSWER)
                        .retryMaxAttempts(0) // the next round is the retry
                        .interceptor(new EtcdDeadlineInterceptor(terms.requestTimeout()));
        identity.map(EtcdClientConfig::createSslContext).ifPresent(builder::sslContext);
        return builder.build();
    }

    /** Made anew for each connection's client; keys and trust in it are those of the moment. */
    private static SslContext createSslContext(ReloadingIdentity identity) {
        return new JdkSslContext(
                TlsCredentials.externalClientContext(identity),
                true,
                null, // the library's usual ciphers
                IdentityCipherSuiteFilter.INSTANCE,
                new ApplicationProtocolConfig(
                        Protocol.ALPN,
                        SelectorFailureBehavior.NO_ADVERTISE,
                        SelectedListenerFailureBehavior.ACCEPT,
                        ApplicationProtocolNames.HTTP_2),
                ClientAuth.NONE,
                new String[] {TlsCredentials.PROTOCOL},
                false);
    }
}
