package drover.kit.grpc;

import static java.util.concurrent.TimeUnit.SECONDS;

import drover.kit.tls.PeerContextInterceptor;
import drover.trust.identity.ServiceName;
import drover.trust.identity.ServicePermission;
import io.grpc.BindableService;
import io.grpc.InsecureServerCredentials;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerBuilder;
import io.grpc.ServerCredentials;
import io.grpc.ServerInterceptor;
import io.grpc.ServerInterceptors;
import io.grpc.ServerServiceDefinition;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.inprocess.InProcessServerBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.protobuf.services.HealthStatusManager;
import io.grpc.protobuf.services.ProtoReflectionService;
import io.grpc.protobuf.services.ProtoReflectionServiceV1;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running gRPC server: services behind the house's interceptors, with health and, where asked
 * for, reflection. Every call runs on a virtual thread, so that a door may simply block.
 */
public final class GrpcServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(GrpcServer.class);

    private static final int GRACE_SECONDS = 5; // a polite end; streams that outlive it are cut

    private static final int PERMITTED_KEEPALIVE_SECONDS = 20; // clients send one every 30 s

    private static final int DEAD_CLIENT_SECONDS = 60; // one that is gone without a word is noticed

    /** Many times what any door is asked for in good health. */
    private static final int MAX_CALLS = 1_024;

    /** Calls that wait for their access check: several times those that are served. */
    private static final int MAX_UNCHECKED_CALLS = 256;

    private static final int MAX_UNCHECKED_STREAMS = 512;

    /** Calls and streams that need no key: health and reflection. */
    private static final int MAX_KEYLESS_CALLS = 64;

    /** Three times what REST waits for; whoever asks for more waits in vain. */
    private static final Duration MAX_CALL_DURATION = Duration.ofSeconds(30);

    private final Server server;
    private final HealthStatusManager health;
    private final ScheduledExecutorService timer;

    private GrpcServer(Server server, HealthStatusManager health, ScheduledExecutorService timer) {
        this.server = server;
        this.health = health;
        this.timer = timer;
    }

    /** What a server is made of. */
    public static final class Builder {
        private final List<BindableService> services = new ArrayList<>();
        private final List<ServerInterceptor> interceptors = new ArrayList<>();
        private boolean reflection;
        private int maxCalls = MAX_CALLS;
        private int maxStreams = Integer.MAX_VALUE;
        private Duration maxCallDuration = MAX_CALL_DURATION;
        private @Nullable ScopeAuthorizer
                gate; // null: a door within the mesh, which asks no operator
        private @Nullable ServerCredentials tls; // null: plain, for a door of this machine alone
        private @Nullable ServiceName among; // null: a door for others than services
        private @Nullable EndpointLimits limits; // null: an endpoint between services
        private @Nullable ConnectionRateAndCountLimiter limiter;

        /** Adds a service. */
        public Builder addService(BindableService service) {
            services.add(service);
            return this;
        }

        /**
         * Adds an interceptor; the first added sees a call first. Errors always conform, whatever
         * is added.
         */
        public Builder addInterceptor(ServerInterceptor interceptor) {
            interceptors.add(interceptor);
            return this;
        }

        /**
         * Asks every caller for what the gate's table says, before anything else sees the call. A
         * method without a row keeps the door from opening.
         */
        public Builder accessControl(ScopeAuthorizer operators) {
            gate = operators;
            return this;
        }

        /**
         * Proves both ends where the door is a real port; handlers then find the caller in {@link
         * drover.kit.tls.Peer#current()}. A door inside this process has no connection to secure.
         */
        public Builder credentials(ServerCredentials credentials) {
            tls = credentials;
            return this;
        }

        /**
         * Is the door of this service for the others. Where both ends are proven each caller is
         * held to its own edges; a method that no edge names keeps the door from opening.
         */
        public Builder enforceServicePermissions(ServiceName own) {
            among = own;
            return this;
        }

        /**
         * Limits connections, messages and calls of a real port. Connections over the rate are
         * closed before the TLS handshake.
         */
        public Builder limits(EndpointLimits some, ConnectionRateAndCountLimiter connections) {
            limits = some;
            limiter = connections;
            return this;
        }

        /**
         * Limits concurrent calls and the time of each; one over the limit gets {@code OVERLOADED}.
         * 1,024 calls and 30 s if not called.
         */
        public Builder callLimits(int calls, Duration longest) {
            maxCalls = calls;
            maxCallDuration = longest;
            return this;
        }

        /** Limits concurrent streams; unlimited if not called. */
        public Builder maxStreams(int most) {
            maxStreams = most;
            return this;
        }

        /** Lets clients such as grpcurl ask for the contracts. */
        public Builder withReflection() {
            reflection = true;
            return this;
        }

        /**
         * Starts at an address.
         *
         * @throws PortInUse when another program has the port
         */
        public GrpcServer listen(Address address) {
            return listen(address, builder -> {});
        }

        /**
         * Starts at an address; {@code tuning} sets limits where the door is a real port.
         *
         * @throws PortInUse when another program has the port
         */
        public GrpcServer listen(Address address, Consumer<NettyServerBuilder> tuning) {
            return switch (address) {
                case Address.InProcess(String name) ->
                        start(InProcessServerBuilder.forName(name), address);
                case Address.Tcp tcp -> {
                    NettyServerBuilder builder =
                            nettyBuilder(tcp)
                                    .permitKeepAliveTime(PERMITTED_KEEPALIVE_SECONDS, SECONDS)
                                    .keepAliveTime(DEAD_CLIENT_SECONDS, SECONDS);
                    if (limits != null) {
                        limits.applyTo(builder);
                    }
                    tuning.accept(builder);
                    yield start(builder, address);
                }
            };
        }

        private NettyServerBuilder nettyBuilder(Address.Tcp tcp) {
            ServerCredentials credentials = tls == null ? InsecureServerCredentials.create() : tls;
            return NettyServerBuilder.forAddress(
                    tcp.socketAddress(),
                    limiter == null
                            ? credentials
                            : RateLimitedServerCredentials.wrapCredentials(credentials, limiter));
        }

        private GrpcServer start(ServerBuilder<?> builder, Address address) {
            requirePermissionPerMethod();
            HealthStatusManager health = new HealthStatusManager();
            ScheduledThreadPoolExecutor timer = DaemonTimerFactory.createTimer("call-deadlines");
            List<ServerInterceptor> bounds = new ArrayList<>();
            if (among != null && tls != null && address instanceof Address.Tcp) {
                bounds.add(new ServicePermissionInterceptor(among));
            }
            bounds.add(
                    new CallLimitAndDeadlineInterceptor(
                            maxCalls, maxCallDuration, maxStreams, timer));
            bounds.addAll(interceptors);
            List<ServerInterceptor> outer =
                    gate == null
                            ? List.of()
                            : List.of(
                                    new CallLimitAndDeadlineInterceptor(
                                            MAX_UNCHECKED_CALLS,
                                            maxCallDuration,
                                            MAX_UNCHECKED_STREAMS,
                                            timer));
            services.forEach(
                    service -> builder.addService(withInterceptors(service, outer, bounds)));
            List<ServerInterceptor> open =
                    List.of(
                            new CallLimitAndDeadlineInterceptor(
                                    MAX_KEYLESS_CALLS, maxCallDuration, MAX_KEYLESS_CALLS, timer));
            builder.addService(withInterceptors(health.getHealthService(), open, List.of()));
            if (reflection) {
                for (BindableService version : reflectionServices()) {
                    builder.addService(withInterceptors(version, open, List.of()));
                }
            }
            builder.executor(Executors.newVirtualThreadPerTaskExecutor());
            Server server = builder.build();
            requireAccessRulePerMethod(server);
            try {
                GrpcServer host = new GrpcServer(server.start(), health, timer);
                logStart(address, host.port());
                return host;
            } catch (IOException e) {
                timer.shutdownNow();
                throw new PortInUse(address, e);
            }
        }

        @SuppressWarnings("deprecation") // v1alpha is what clients from before 2023 request
        private static List<BindableService> reflectionServices() {
            return List.of(
                    ProtoReflectionServiceV1.newInstance(), ProtoReflectionService.newInstance());
        }

        /** Nobody is to believe that a door is proven which is not. */
        private void logStart(Address address, int port) {
            if (among != null && address instanceof Address.Tcp) {
                LOG.info(
                        "A door for services is open service={} port={} connections={}",
                        among,
                        port,
                        tls == null ? "plain" : "proven");
            }
        }

        private ServerServiceDefinition withInterceptors(
                BindableService service,
                List<ServerInterceptor> outer,
                List<ServerInterceptor> inner) {
            List<ServerInterceptor> all = new ArrayList<>();
            all.add(new ErrorConformanceInterceptor());
            all.addAll(outer);
            if (tls != null) {
                all.add(new PeerContextInterceptor());
            }
            if (gate != null) {
                all.add(new AuthorizationInterceptor(gate));
            }
            all.addAll(inner);
            return ServerInterceptors.interceptForward(service, all);
        }

        private void requirePermissionPerMethod() {
            ServiceName own = among;
            if (own == null) {
                return;
            }
            List<String> strange =
                    services.stream()
                            .flatMap(service -> service.bindService().getMethods().stream())
                            .map(method -> method.getMethodDescriptor().getFullMethodName())
                            .filter(method -> !ServicePermission.isCallable(own, method))
                            .sorted()
                            .toList();
            if (!strange.isEmpty()) {
                throw new IllegalStateException(
                        "The door stays shut: no edge of the mesh leads to " + strange);
            }
        }

        private void requireAccessRulePerMethod(Server server) {
            if (gate == null) {
                return;
            }
            Set<String> lacking =
                    gate.table()
                            .methodsWithoutRule(
                                    server.getImmutableServices().stream()
                                            .flatMap(service -> service.getMethods().stream())
                                            .map(method -> method.getMethodDescriptor())
                                            .map(MethodDescriptor::getFullMethodName)
                                            .toList());
            if (!lacking.isEmpty()) {
                throw new IllegalStateException(
                        "The door stays shut: no rule says who may call " + lacking);
            }
        }
    }

    /** A new plan. */
    public static Builder builder() {
        return new Builder();
    }

    /** The port it listens on; -1 inside a process. */
    public int port() {
        return server.getPort();
    }

    /** Says over gRPC health whether the whole server is ready. */
    public void setReady(boolean ready) {
        health.setStatus(
                HealthStatusManager.SERVICE_NAME_ALL_SERVICES,
                ready ? ServingStatus.SERVING : ServingStatus.NOT_SERVING);
    }

    /** Ends politely, then by force. */
    @Override
    public void close() {
        health.enterTerminalState();
        server.shutdown();
        try {
            if (!server.awaitTermination(GRACE_SECONDS, SECONDS)) {
                server.shutdownNow();
            }
        } catch (InterruptedException e) {
            server.shutdownNow();
            Thread.currentThread().interrupt();
        } finally {
            timer.shutdownNow();
        }
    }
}
