package drover.kit.tls;

import org.jspecify.annotations.Nullable;

/** An identity cannot be used as its files are. The message says which part, never a key. */
public final class InvalidTlsFiles extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * @param cause null when the message says all
     */
    InvalidTlsFiles(String sentence, @Nullable Throwable cause) {
        super(sentence, cause);
    }
}
