package drover.kit.grpc;

import com.google.protobuf.Any;
import com.google.protobuf.Duration;
import com.google.rpc.Code;
import com.google.rpc.ErrorInfo;
import com.google.rpc.RetryInfo;
import drover.model.RefusalCode;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;

/**
 * A refusal on its way to the caller. Thrown at a door, never inside a pure room; {@link
 * ErrorConformanceInterceptor} sends it as a status with {@code ErrorInfo(domain = drover,
 * reason)}.
 */
public final class Refused extends RuntimeException {
    /** The domain of every reason code of Drover. */
    public static final String DOMAIN = "drover";

    /** After how many seconds to try again what is {@link #isRetryable() over soon}. */
    public static final int RETRY_SECONDS = 1;

    private static final RetryInfo RETRY =
            RetryInfo.newBuilder()
                    .setRetryDelay(Duration.newBuilder().setSeconds(RETRY_SECONDS))
                    .build();

    private static final long serialVersionUID = 1L;

    private final RefusalCode code;
    private final String field;

    /**
     * @param sentence one sentence for a person: what is wrong and what to do
     */
    public Refused(RefusalCode code, String sentence) {
        this(code, sentence, "");
    }

    /**
     * @param field the request field concerned, as written in JSON; empty when none
     */
    public Refused(RefusalCode code, String sentence, String field) {
        super(
                sentence, null, false,
                false); // a refusal is an answer: no stack trace is ever wanted
        this.code = code;
        this.field = field;
    }

    /** The stable reason. */
    public RefusalCode code() {
        return code;
    }

    /** The request field concerned; empty when none. */
    public String field() {
        return field;
    }

    /** The same refusal as gRPC sends it. */
    public StatusRuntimeException toStatus() {
        ErrorInfo.Builder info = ErrorInfo.newBuilder().setDomain(DOMAIN).setReason(code.name());
        if (!field.isEmpty()) {
            info.putMetadata("field", field);
        }
        com.google.rpc.Status.Builder status =
                com.google.rpc.Status.newBuilder()
                        .setCode(Code.valueOf(code.kind().name()).getNumber())
                        .setMessage(sentence())
                        .addDetails(Any.pack(info.build()));
        if (isRetryable()) {
            status.addDetails(Any.pack(RETRY));
        }
        return StatusProto.toStatusRuntimeException(status.build());
    }

    /** Whether the same call may well succeed in a second; gRPC and REST then say so. */
    public boolean isRetryable() {
        return code == RefusalCode.OVERLOADED || code.kind() == RefusalCode.Kind.UNAVAILABLE;
    }

    /** The sentence for a person. */
    public String sentence() {
        return getMessage() == null ? code.name() : getMessage();
    }
}
