package drover.opsagent.disk;

import drover.model.Digest;
import java.nio.file.Path;

/** What was copied is not what its digest says; nothing was put in place. */
public final class DigestMismatch extends RuntimeException {
    private static final long serialVersionUID = 1L;

    DigestMismatch(Path target, Digest expected, Digest found) {
        super(
                "For "
                        + target.getFileName()
                        + " the bytes are "
                        + found.shortHex()
                        + " instead of "
                        + expected.shortHex());
    }
}
