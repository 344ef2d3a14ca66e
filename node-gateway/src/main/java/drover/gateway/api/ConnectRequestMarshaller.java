package drover.gateway.api;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.WireFormat;
import drover.agent.v1.AgentServiceGrpc;
import drover.agent.v1.ConnectRequest;
import drover.agent.v1.ConnectResponse;
import drover.kit.agent.AgentMessageRepairingValidator;
import drover.kit.agent.InvalidMessage;
import io.grpc.BindableService;
import io.grpc.KnownLength;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCallHandler;
import io.grpc.ServerMethodDefinition;
import io.grpc.ServerServiceDefinition;
import io.grpc.ServiceDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.io.InputStream;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Reads agent messages. It checks the bytes of a message before it parses them: 16 KiB can become a
 * megabyte of objects, and 256 KiB many. A heartbeat that is too large because of its texts for
 * people loses these texts: earlier agents do not limit them.
 */
public final class ConnectRequestMarshaller implements MethodDescriptor.Marshaller<ConnectRequest> {
    private static final MethodDescriptor<ConnectRequest, ConnectResponse> CONNECT =
            AgentServiceGrpc.getConnectMethod();

    /** Stands for a message that is too large to be parsed; compared by identity. */
    private static final ConnectRequest TOO_LARGE = ConnectRequest.newBuilder().build();

    private static final int ALWAYS_SMALL =
            16 * 1024; // bytes; no type of message has a lower limit

    private final MethodDescriptor.Marshaller<ConnectRequest> parser =
            CONNECT.getRequestMarshaller();

    private ConnectRequestMarshaller() {}

    /** The service, with the bytes of each message checked. */
    @SuppressWarnings("unchecked") // the one method of the service
    public static BindableService wrapService(BindableService service) {
        ServerServiceDefinition parsed = service.bindService();
        ServerCallHandler<ConnectRequest, ConnectResponse> handler =
                ((ServerMethodDefinition<ConnectRequest, ConnectResponse>)
                                parsed.getMethod(CONNECT.getFullMethodName()))
                        .getServerCallHandler();
        MethodDescriptor<ConnectRequest, ConnectResponse> connect =
                CONNECT.toBuilder(new ConnectRequestMarshaller(), CONNECT.getResponseMarshaller())
                        .build();
        ServiceDescriptor descriptor =
                ServiceDescriptor.newBuilder(parsed.getServiceDescriptor().getName())
                        .setSchemaDescriptor(parsed.getServiceDescriptor().getSchemaDescriptor())
                        .addMethod(connect)
                        .build();
        return () ->
                ServerServiceDefinition.builder(descriptor).addMethod(connect, handler).build();
    }

    /** The rule that a message broke by its size; empty for one that was parsed. */
    @SuppressWarnings("ReferenceEquality") // one constant stands for every such message
    static Optional<InvalidMessage> findSizeViolation(ConnectRequest request) {
        return request == TOO_LARGE
                ? Optional.of(AgentMessageRepairingValidator.tooLarge())
                : Optional.empty();
    }

    @Override
    public InputStream stream(ConnectRequest request) {
        return parser.stream(request);
    }

    @Override
    public ConnectRequest parse(InputStream stream) {
        try {
            if (stream instanceof KnownLength && stream.available() <= ALWAYS_SMALL) {
                return parser.parse(stream);
            }
            byte[] bytes = stream.readAllBytes(); // at most what the endpoint accepts
            if (isWithinSizeLimits(bytes)) {
                return ConnectRequest.parseFrom(bytes);
            }
            return parseWithoutTexts(bytes);
        } catch (IOException e) {
            throw malformed(e);
        }
    }

    private static ConnectRequest parseWithoutTexts(byte[] tooLarge) throws IOException {
        byte[] shorter;
        try {
            shorter = OversizedHeartbeatTextRemover.removeTexts(tooLarge);
        } catch (InvalidProtocolBufferException e) {
            return TOO_LARGE; // that is known, and comes first
        }
        return isWithinSizeLimits(shorter) ? ConnectRequest.parseFrom(shorter) : TOO_LARGE;
    }

    private static StatusRuntimeException malformed(IOException cause) {
        return Status.INTERNAL
                .withDescription("Invalid protobuf byte sequence")
                .withCause(cause)
                .asRuntimeException();
    }

    /**
     * Whether each message inside has at most the bytes of its type. The parser merges the
     * occurrences of one field, so their sizes are added.
     */
    private static boolean isWithinSizeLimits(byte[] bytes) throws IOException {
        Map<Integer, Long> sizes = new HashMap<>(); // one entry for each type of message
        CodedInputStream input = CodedInputStream.newInstance(bytes);
        for (int tag = input.readTag(); tag != 0; tag = input.readTag()) {
            if (WireFormat.getTagWireType(tag) == WireFormat.WIRETYPE_LENGTH_DELIMITED) {
                int number = WireFormat.getTagFieldNumber(tag);
                int size = input.readRawVarint32();
                if (size < 0) {
                    return false;
                }
                if (isKnownField(number)
                        && sizes.merge(number, (long) size, Long::sum) > maxBytes(number)) {
                    return false;
                }
                input.skipRawBytes(size);
            } else if (!input.skipField(tag)) {
                return true; // the parser rejects it
            }
        }
        return true;
    }

    private static boolean isKnownField(int number) {
        return ConnectRequest.getDescriptor().findFieldByNumber(number) != null;
    }

    private static int maxBytes(int number) {
        FieldDescriptor field = ConnectRequest.getDescriptor().findFieldByNumber(number);
        return AgentMessageRepairingValidator.maxBytes(field.getMessageType().getName());
    }
}
