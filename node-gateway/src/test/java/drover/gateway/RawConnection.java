package drover.gateway;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A caller that writes the frames of HTTP/2 itself, also such as no library would write. */
final class RawConnection implements AutoCloseable {
    /** RFC 9113, 7: error codes. */
    static final int REFUSED_STREAM = 7;

    static final int CALM_DOWN = 11;

    private static final byte[] PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(US_ASCII);
    private static final int HEADERS = 1;
    static final int RST_STREAM = 3;
    static final int SETTINGS = 4;
    static final int PING = 6;
    static final int GOAWAY = 7;
    private static final int CONTINUATION = 9;
    private static final int ACK = 1;
    private static final int END_HEADERS = 4;
    private static final int CANCEL = 8;

    private final Socket socket;
    private final DataOutputStream out;
    private final DataInputStream in;

    /** A stream that was ended by the other side, and why. */
    record Reset(int stream, int code) {}

    /**
     * What was heard until the connection ended.
     *
     * @param code of the farewell; -1 when there was none
     * @param words of the farewell
     */
    record GoAway(int code, String words, List<Reset> resets) {}

    /** What the other side said at a time. */
    record Frame(int type, int stream, ByteBuffer payload) {}

    private RawConnection(int port) throws IOException {
        this.socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setTcpNoDelay(true);
        socket.setSoTimeout((int) Waits.LIMIT.toMillis());
        this.out = new DataOutputStream(socket.getOutputStream());
        this.in = new DataInputStream(socket.getInputStream());
    }

    /** One that has said nothing yet. */
    static RawConnection openWithoutPreface(int port) throws IOException {
        return new RawConnection(port);
    }

    /** One that began as HTTP/2 begins. */
    static RawConnection open(int port) throws IOException {
        RawConnection connection = openWithoutPreface(port);
        var _ = connection.openConnection(new byte[0]);
        return connection;
    }

    /** Begins with these settings; the other side's. */
    ByteBuffer openConnection(byte[] settings) throws IOException {
        out.write(PREFACE);
        frame(SETTINGS, 0, 0, settings);
        ByteBuffer theirs = next().payload(); // the first one says what may be done here
        frame(SETTINGS, ACK, 0, new byte[0]);
        return theirs;
    }

    /** Gives up waiting for the other side after so long. */
    void waitsFor(Duration limit) throws IOException {
        socket.setSoTimeout((int) limit.toMillis());
    }

    /** Begins the one call that agents make; streams of a caller have odd numbers. */
    void call(int stream, String token) throws IOException {
        ByteArrayOutputStream block = new ByteArrayOutputStream();
        block.write(0x83); // :method POST, of the static table
        block.write(0x86); // :scheme http
        named(block, 4, "/drover.agent.v1.AgentService/Connect"); // :path
        named(block, 1, "gateway"); // :authority
        header(block, "content-type", "application/grpc");
        header(block, "te", "trailers");
        header(block, "drover-node-token", token);
        frame(HEADERS, END_HEADERS, stream, block.toByteArray());
    }

    /** Begins a call whose metadata has no end yet. */
    void sendHeadersWithoutEnd(int stream) throws IOException {
        frame(HEADERS, 0, stream, new byte[] {(byte) 0x83});
    }

    /** So many bytes more of such metadata. */
    void goOn(int stream, int bytes) throws IOException {
        ByteArrayOutputStream block = new ByteArrayOutputStream();
        while (block.size() < bytes) {
            header(block, "x", "y".repeat(100));
        }
        frame(CONTINUATION, 0, stream, block.toByteArray());
    }

    /** Abandons a call. */
    void reset(int stream) throws IOException {
        frame(RST_STREAM, 0, stream, ByteBuffer.allocate(4).putInt(CANCEL).array());
    }

    void ping() throws IOException {
        frame(PING, 0, 0, new byte[8]);
    }

    /** Answers a ping with its own word. */
    void pong(Frame requested) throws IOException {
        frame(PING, ACK, 0, requested.payload().array());
    }

    private static void named(ByteArrayOutputStream block, int name, String value) {
        block.write(name); // a literal that is not remembered, its name from the static table
        text(block, value);
    }

    private static void header(ByteArrayOutputStream block, String name, String value) {
        block.write(0);
        text(block, name);
        text(block, value);
    }

    private static void text(ByteArrayOutputStream block, String text) {
        block.write(text.length()); // below 127: one byte, not compressed
        block.writeBytes(text.getBytes(US_ASCII));
    }

    /** Says anything at all. */
    void frame(int type, int flags, int stream, byte[] payload) throws IOException {
        ByteBuffer frame = ByteBuffer.allocate(9 + payload.length);
        frame.putInt(payload.length << 8 | type).put((byte) flags).putInt(stream).put(payload);
        out.write(frame.array());
    }

    /** The next stream that the other side ends. */
    Reset awaitReset() throws IOException {
        List<Reset> resets = new ArrayList<>();
        while (resets.isEmpty()) {
            if (read(resets) != null) {
                throw new EOFException("the connection ended first");
            }
        }
        return resets.getFirst();
    }

    /** Reads until a ping is answered, or asked: both are the same frame. */
    Frame awaitPing() throws IOException {
        Frame frame = next();
        while (frame.type() != PING) {
            frame = next();
        }
        return frame;
    }

    /** Reads until the other side has ended the connection. */
    GoAway awaitEnd() throws IOException {
        List<Reset> resets = new ArrayList<>();
        GoAway last = new GoAway(-1, "", resets);
        try {
            while (true) {
                GoAway reported = read(resets);
                last = reported == null ? last : reported;
            }
        } catch (EOFException | SocketException e) {
            return last; // ended, politely or not
        }
    }

    /** Reads whatever the other side says next. */
    Frame next() throws IOException {
        int head = in.readInt();
        in.readByte();
        int stream = in.readInt();
        return new Frame(head & 0xff, stream, ByteBuffer.wrap(in.readNBytes(head >>> 8)));
    }

    private @Nullable GoAway read(List<Reset> resets) throws IOException {
        Frame frame = next();
        ByteBuffer payload = frame.payload();
        switch (frame.type()) {
            case RST_STREAM -> resets.add(new Reset(frame.stream(), payload.getInt()));
            case GOAWAY -> {
                payload.getInt();
                int code = payload.getInt();
                return new GoAway(code, US_ASCII.decode(payload).toString(), resets);
            }
            default -> {}
        }
        return null;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
