package drover.opsagent.cluster.etcd;

import org.jspecify.annotations.Nullable;

/** A request to etcd had no usable response; the message is one sentence. */
final class EtcdRequestFailed extends RuntimeException {
    private static final long serialVersionUID = 1L;

    EtcdRequestFailed(String sentence, @Nullable Throwable cause) {
        super(sentence, cause);
    }

    String sentence() {
        return String.valueOf(getMessage());
    }
}
