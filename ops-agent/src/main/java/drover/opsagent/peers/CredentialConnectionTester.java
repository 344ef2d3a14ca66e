package drover.opsagent.peers;

import drover.agent.v1.AgentServiceGrpc;
import drover.agent.v1.ConnectRequest;
import drover.agent.v1.ConnectResponse;
import drover.agent.v1.Hello;
import drover.opsagent.admission.AgentFeatures;
import drover.opsagent.time.AgentStopping;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Dials a gateway to see whether it takes this node's credential, and hangs up. It says that it is
 * a probe, so that the node's agent is not disturbed.
 */
public final class CredentialConnectionTester {
    /** Who tests itself has a jar of its own. */
    private static final Set<String> FEATURES =
            Stream.concat(AgentFeatures.ALL_AGENTS.stream(), Stream.of(AgentFeatures.AGENT_UPGRADE))
                    .collect(Collectors.toUnmodifiableSet());

    private CredentialConnectionTester() {}

    /**
     * Dials once.
     *
     * @param incarnation that the next start of the agent will have
     * @return empty when the gateway welcomed the node, else one sentence that says why not
     */
    public static String connectAndFindProblem(
            GatewayAddress gateway,
            NodeCredential credential,
            String version,
            long incarnation,
            Duration most) {
        NodeCredential.PreparedConnection made = credential.prepareConnection(gateway);
        ManagedChannel channel = made.channel();
        try {
            ResponseObserver answer = new ResponseObserver();
            StreamObserver<ConnectRequest> outbound =
                    AgentServiceGrpc.newStub(channel)
                            .withInterceptors(
                                    MetadataUtils.newAttachHeadersInterceptor(made.headers()))
                            .connect(answer);
            outbound.onNext(buildHello(version, incarnation, made.node()));
            String problem = answer.response.get(most.toMillis(), TimeUnit.MILLISECONDS);
            if (problem.isEmpty()) {
                outbound.onCompleted();
            }
            return problem.isEmpty() ? "" : gateway + " refused: " + problem;
        } catch (TimeoutException e) {
            return gateway + " did not answer within " + most.toSeconds() + " s";
        } catch (ExecutionException e) {
            throw new IllegalStateException("An answer never fails", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AgentStopping(e);
        } finally {
            closeChannel(channel);
        }
    }

    private static ConnectRequest buildHello(String version, long incarnation, String itself) {
        return ConnectRequest.newBuilder()
                .setHello(
                        Hello.newBuilder()
                                .setAgentVersion(version)
                                .setProtocol(1)
                                .setIncarnation(incarnation)
                                .setExecutor(false)
                                .setProbe(true)
                                .setNodeId(itself))
                .build();
    }

    /** Lets the half-close out before the connection goes. */
    private static void closeChannel(ManagedChannel channel) {
        try {
            if (!channel.shutdown().awaitTermination(1, TimeUnit.SECONDS)) {
                channel.shutdownNow();
            }
        } catch (InterruptedException e) {
            channel.shutdownNow();
            Thread.currentThread().interrupt();
        }
    }

    private static final class ResponseObserver implements StreamObserver<ConnectResponse> {
        final CompletableFuture<String> response = new CompletableFuture<>();

        @Override
        public void onNext(ConnectResponse message) {
            response.complete(
                    message.hasWelcome()
                            ? GatewayRequiredFeatureCheck.describeMissing(
                                    message.getWelcome(), FEATURES)
                            : "its first answer is no welcome");
        }

        @Override
        public void onError(Throwable failure) {
            Status end = Status.fromThrowable(failure);
            response.complete(end.getCode() + " " + GatewaySessionLoop.causeMessage(end));
        }

        @Override
        public void onCompleted() {
            response.complete("it hung up");
        }
    }
}
