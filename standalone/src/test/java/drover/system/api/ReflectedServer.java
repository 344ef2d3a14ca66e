package drover.system.api;

import com.google.protobuf.ByteString;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.Descriptors.DescriptorValidationException;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.InvalidProtocolBufferException;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.reflection.v1.ServerReflectionGrpc;
import io.grpc.reflection.v1.ServerReflectionRequest;
import io.grpc.reflection.v1.ServerReflectionResponse;
import io.grpc.reflection.v1.ServiceResponse;
import io.grpc.stub.BlockingClientCall;
import io.grpc.stub.ClientCalls;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Calls a server the way grpcurl does: by reflection v1, without any generated message. */
public final class ReflectedServer implements AutoCloseable {
    private final Channel channel;
    private final BlockingClientCall<ServerReflectionRequest, ServerReflectionResponse> reflection;

    public ReflectedServer(Channel channel) {
        this.channel = channel;
        this.reflection = ServerReflectionGrpc.newBlockingV2Stub(channel).serverReflectionInfo();
    }

    /** {@code grpcurl -plaintext HOST:PORT list}. */
    public List<String> services() {
        ServerReflectionRequest list =
                ServerReflectionRequest.newBuilder().setListServices("").build();
        return request(list).getListServicesResponse().getServiceList().stream()
                .map(ServiceResponse::getName)
                .toList();
    }

    /** {@code grpcurl -plaintext HOST:PORT SERVICE/METHOD} with an empty message; the text. */
    String call(String service, String method) {
        MethodDescriptor described =
                file(service)
                        .findServiceByName(service.substring(service.lastIndexOf('.') + 1))
                        .findMethodByName(method);
        var call =
                io.grpc.MethodDescriptor.<DynamicMessage, DynamicMessage>newBuilder()
                        .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
                        .setFullMethodName(service + "/" + method)
                        .setRequestMarshaller(
                                ProtoUtils.marshaller(
                                        DynamicMessage.getDefaultInstance(
                                                described.getInputType())))
                        .setResponseMarshaller(
                                ProtoUtils.marshaller(
                                        DynamicMessage.getDefaultInstance(
                                                described.getOutputType())))
                        .build();
        return ClientCalls.blockingUnaryCall(
                        channel,
                        call,
                        CallOptions.DEFAULT,
                        DynamicMessage.getDefaultInstance(described.getInputType()))
                .toString();
    }

    private FileDescriptor file(String symbol) {
        ServerReflectionRequest containing =
                ServerReflectionRequest.newBuilder().setFileContainingSymbol(symbol).build();
        Map<String, FileDescriptorProto> files = new HashMap<>();
        String first = "";
        for (ByteString bytes :
                request(containing).getFileDescriptorResponse().getFileDescriptorProtoList()) {
            FileDescriptorProto file = parsed(bytes);
            first = first.isEmpty() ? file.getName() : first;
            files.put(file.getName(), file);
        }
        return built(first, files, new HashMap<>());
    }

    private FileDescriptor built(
            String name, Map<String, FileDescriptorProto> files, Map<String, FileDescriptor> done) {
        FileDescriptor known = done.get(name);
        if (known != null) {
            return known;
        }
        FileDescriptorProto file = Objects.requireNonNull(files.get(name), name);
        FileDescriptor[] needed =
                file.getDependencyList().stream()
                        .map(other -> built(other, files, done))
                        .toArray(FileDescriptor[]::new);
        try {
            FileDescriptor built = FileDescriptor.buildFrom(file, needed);
            done.put(name, built);
            return built;
        } catch (DescriptorValidationException e) {
            throw new AssertionError("Reflection gives a file that does not hold together", e);
        }
    }

    private static FileDescriptorProto parsed(ByteString bytes) {
        try {
            return FileDescriptorProto.parseFrom(bytes);
        } catch (InvalidProtocolBufferException e) {
            throw new AssertionError("Reflection gives a file that cannot be read", e);
        }
    }

    private ServerReflectionResponse request(ServerReflectionRequest request) {
        try {
            if (!reflection.write(request)) {
                throw new AssertionError("The reflection stream has ended");
            }
            return reflection.read();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        } catch (io.grpc.StatusException e) {
            throw new AssertionError("Reflection does not answer", e);
        }
    }

    @Override
    public void close() {
        reflection.cancel("done", null);
    }
}
