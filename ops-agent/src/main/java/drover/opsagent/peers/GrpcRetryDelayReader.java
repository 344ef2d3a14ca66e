package drover.opsagent.peers;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.rpc.RetryInfo;
import com.google.rpc.Status;
import io.grpc.protobuf.StatusProto;
import java.time.Duration;

/** Reads from the end of a call when its gateway wants to be dialled again. */
public final class GrpcRetryDelayReader {
    private static final long MOST_SECONDS = 86_400; // nobody is heeded for that long

    private GrpcRetryDelayReader() {}

    /** Zero when it does not say. */
    public static Duration of(Throwable failure) {
        Status status = StatusProto.fromThrowable(failure);
        if (status == null) {
            return Duration.ZERO;
        }
        return status.getDetailsList().stream()
                .filter(detail -> detail.is(RetryInfo.class))
                .findFirst()
                .map(GrpcRetryDelayReader::readDelay)
                .orElse(Duration.ZERO);
    }

    private static Duration readDelay(Any detail) {
        try {
            long seconds = detail.unpack(RetryInfo.class).getRetryDelay().getSeconds();
            return Duration.ofSeconds(Math.clamp(seconds, 0, MOST_SECONDS));
        } catch (InvalidProtocolBufferException e) {
            return Duration.ZERO; // a broken detail says nothing
        }
    }
}
