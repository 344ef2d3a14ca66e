package drover.opsagent.docker.engine;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Reads a container's output as engines send it: frames of eight bytes of header, the last four of
 * them the length, then so much text of one of the two streams. With a terminal there are none.
 */
final class ContainerLogTailDecoder {
    private static final int HEADER = 8;

    private ContainerLogTailDecoder() {}

    /** The end of the text, at most so many bytes. */
    static String decodeTail(byte[] sent, boolean plain, int bytes) {
        byte[] text = plain ? sent : removeFrameHeaders(sent);
        int from = Math.max(0, text.length - bytes);
        return new String(Arrays.copyOfRange(text, from, text.length), StandardCharsets.UTF_8);
    }

    private static byte[] removeFrameHeaders(byte[] sent) {
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        ByteBuffer left = ByteBuffer.wrap(sent);
        while (left.remaining() >= HEADER) {
            left.getInt(); // which stream
            int length = Math.clamp(left.getInt(), 0, left.remaining());
            byte[] frame = new byte[length];
            left.get(frame);
            text.writeBytes(frame);
        }
        return text.toByteArray();
    }
}
