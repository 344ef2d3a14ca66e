package drover.opsagent.peers;

import drover.agent.v1.Command;
import drover.agent.v1.CommandType;
import drover.agent.v1.ConnectRequest;
import drover.agent.v1.ConnectResponse;
import drover.agent.v1.Withdraw;
import drover.opsagent.engine.LogRequestHandler;
import drover.opsagent.engine.StatusSlot;
import drover.opsagent.engine.Withdrawal;
import io.grpc.Status;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a gateway says on one stream. Runs on the transport's thread and never blocks it. */
final class GatewayMessageObserver
        implements ClientResponseObserver<ConnectRequest, ConnectResponse> {
    private static final Logger LOG = LoggerFactory.getLogger(GatewayMessageObserver.class);

    /** As after a refusal: no gateway may send its nodes away for good. */
    private static final Duration MAX_RECONNECT_DELAY = Duration.ofMinutes(5);

    private final StatusSlot slot;
    private final SessionHandler handler;
    private final LoopWakeup wakeup;
    private volatile @Nullable ClientCallStreamObserver<ConnectRequest> outbound;
    private volatile @Nullable Status endStatus;
    private volatile @Nullable Duration reconnectWithin;
    private volatile Duration retryAfter = Duration.ZERO;
    private volatile @Nullable ConnectResponse welcome;
    private volatile boolean welcomed;
    private volatile String node = NodeLogContext.current(); // gRPC calls this from its own threads
    private volatile boolean
            lacksRequiredFeatures; // what the gateway asks for: nothing it says is heeded

    GatewayMessageObserver(StatusSlot slot, SessionHandler node, LoopWakeup wakeup) {
        this.slot = slot;
        this.handler = node;
        this.wakeup = wakeup;
    }

    @Override
    public void beforeStart(ClientCallStreamObserver<ConnectRequest> stream) {
        outbound = stream;
        stream.setOnReadyHandler(wakeup::signal);
    }

    @Override
    public void onNext(ConnectResponse message) {
        NodeLogContext.run(node, () -> handle(message));
    }

    private void handle(ConnectResponse message) {
        if (lacksRequiredFeatures) {
            return; // came before the hang-up was seen
        }
        switch (message.getMessageCase()) {
            case WELCOME -> handleWelcome(message);
            case COMMAND -> handleCommand(message.getCommand());
            case ACK -> {
                slot.acknowledge(message.getAck().getAttempt(), message.getAck().getSequence());
                if (message.getAck().getSuccessorSeen()) {
                    handler.onSuccessorConnected(message.getAck().getAttempt());
                }
            }
            case WITHDRAW -> handleWithdraw(message.getWithdraw());
            case STOP_AGENT ->
                    handler.onStopRequest(
                            message.getStopAgent().getAttempt(),
                            message.getStopAgent().getSuccessorDigest(),
                            message.getStopAgent().getAuthorization().toByteArray());
            case RECONNECT -> {
                Duration requested =
                        CommandProtos.toClampedDuration(message.getReconnect().getWithin());
                reconnectWithin =
                        requested.compareTo(MAX_RECONNECT_DELAY) > 0
                                ? MAX_RECONNECT_DELAY
                                : requested;
                requireOutbound().cancel("asked to dial again", null);
            }
            case READ_LOG ->
                    handler.onLogRequest(
                            new LogRequestHandler.Request(
                                    message.getReadLog().getRequestId(),
                                    message.getReadLog().getProgram()));
            case MESSAGE_NOT_SET ->
                    LOG.warn("The gateway says something that this agent does not know; ignored");
        }
        wakeup.signal();
    }

    private void handleWelcome(ConnectResponse message) {
        String refusal =
                GatewayRequiredFeatureCheck.describeMissing(
                        message.getWelcome(), handler.features());
        if (!refusal.isEmpty()) {
            lacksRequiredFeatures = true;
            requireOutbound().cancel(refusal, null);
            return;
        }
        welcome = message;
        welcomed = true;
        node = message.getWelcome().getNodeId();
        handler.onWelcome(message.getWelcome().getNodeId());
    }

    /** Whether this agent lacks what the gateway asks of every agent. */
    boolean lacksRequiredFeatures() {
        return lacksRequiredFeatures;
    }

    private void handleWithdraw(Withdraw requested) {
        handler.onWithdrawal(
                new Withdrawal(
                        requested.getThroughAttempt(),
                        requested.getEpoch(),
                        requested.getAuthorization().toByteArray()));
    }

    private void handleCommand(Command command) {
        try {
            if (command.getType() == CommandType.COMMAND_TYPE_PREFLIGHT) {
                handler.onPreflightRequest(CommandProtos.toPreflightRequest(command));
            } else {
                handler.onCommand(CommandProtos.toReceivedCommand(command));
            }
        } catch (CommandProtos.UnreadableCommand e) {
            LOG.warn("Command is ignored reason={}", e.getMessage());
        }
    }

    @Override
    public void onError(Throwable failure) {
        retryAfter = GrpcRetryDelayReader.of(failure);
        endStatus = Status.fromThrowable(failure);
        wakeup.signal();
    }

    @Override
    public void onCompleted() {
        endStatus = Status.OK;
        wakeup.signal();
    }

    ClientCallStreamObserver<ConnectRequest> requireOutbound() {
        ClientCallStreamObserver<ConnectRequest> stream = outbound;
        if (stream == null) {
            throw new IllegalStateException("The stream has not been started");
        }
        return stream;
    }

    /** The stream is not ready while the other side does not read: then nothing is written. */
    boolean canWrite() {
        return welcomed && reconnectWithin == null && !hasEnded() && requireOutbound().isReady();
    }

    boolean isWelcomed() {
        return welcomed;
    }

    boolean pollWelcome(Consumer<ConnectResponse> receiver) {
        ConnectResponse message = welcome;
        welcome = null;
        if (message != null) {
            receiver.accept(message);
        }
        return message != null;
    }

    boolean hasEnded() {
        return endStatus != null;
    }

    Status endStatus() {
        Status status = endStatus;
        return status == null ? Status.UNKNOWN : status;
    }

    /** For how long the gateway asks not to be dialled; zero when it does not say. */
    Duration retryAfter() {
        return retryAfter;
    }

    @Nullable Duration reconnectWithin() {
        return reconnectWithin;
    }
}
