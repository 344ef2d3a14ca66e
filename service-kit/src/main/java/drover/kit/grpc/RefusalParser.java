package drover.kit.grpc;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.rpc.ErrorInfo;
import drover.model.RefusalCode;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import java.util.Optional;

/** Reads refusals that came from a neighbour. */
public final class RefusalParser {
    private RefusalParser() {}

    /**
     * The refusal a neighbour sent, or empty when the failure carries no reason of Drover (the
     * neighbour is away).
     */
    public static Optional<Refused> from(StatusRuntimeException failure) {
        com.google.rpc.Status status = StatusProto.fromThrowable(failure);
        if (status == null) {
            return Optional.empty();
        }
        return status.getDetailsList().stream()
                .filter(detail -> detail.is(ErrorInfo.class))
                .map(RefusalParser::unpackOrDefault)
                .filter(info -> info.getDomain().equals(Refused.DOMAIN))
                .findFirst()
                .flatMap(info -> toRefused(info, status.getMessage()));
    }

    private static Optional<Refused> toRefused(ErrorInfo info, String sentence) {
        for (RefusalCode code : RefusalCode.values()) {
            if (code.name().equals(info.getReason())) {
                return Optional.of(
                        new Refused(code, sentence, info.getMetadataOrDefault("field", "")));
            }
        }
        return Optional.empty();
    }

    private static ErrorInfo unpackOrDefault(Any detail) {
        try {
            return detail.unpack(ErrorInfo.class);
        } catch (InvalidProtocolBufferException e) {
            return ErrorInfo.getDefaultInstance(); // a broken detail says nothing
        }
    }
}
