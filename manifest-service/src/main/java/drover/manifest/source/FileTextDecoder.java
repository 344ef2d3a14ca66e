package drover.manifest.source;

import drover.manifest.document.ProblemCode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** Turns the bytes of a file into text, or says why that cannot be. */
public final class FileTextDecoder {
    private static final String BYTE_ORDER_MARK = "\uFEFF";

    private FileTextDecoder() {}

    /** Why a file is no usable text; the message goes on from "the file". */
    public static final class TooLargeOrNotUtf8 extends IOException {
        private static final long serialVersionUID = 1L;

        private final ProblemCode code;

        TooLargeOrNotUtf8(ProblemCode code, String message) {
            super(message);
            this.code = code;
        }

        ProblemCode code() {
            return code;
        }
    }

    /** The text, without a byte order mark. Malformed UTF-8 is refused, never replaced. */
    public static String decode(byte[] bytes) throws TooLargeOrNotUtf8 {
        if (bytes.length > FileLimits.LARGEST_FILE) {
            throw new TooLargeOrNotUtf8(
                    ProblemCode.TOO_LARGE, "is larger than 256 KiB: make it smaller or split it.");
        }
        try {
            String text =
                    StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
            if (isWideEncoding(text)) {
                throw notUtf8();
            }
            return text.startsWith(BYTE_ORDER_MARK) ? text.substring(1) : text;
        } catch (CharacterCodingException _) {
            throw notUtf8();
        }
    }

    /** UTF-16 and UTF-32 without a byte order mark are valid UTF-8 for ASCII, with NULs. */
    private static boolean isWideEncoding(String text) {
        int nul = text.indexOf('\0');
        return nul == 0 || nul == 1;
    }

    private static TooLargeOrNotUtf8 notUtf8() {
        return new TooLargeOrNotUtf8(
                ProblemCode.NOT_UTF8, "is not UTF-8: save it in that encoding.");
    }
}
