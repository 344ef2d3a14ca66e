package drover.gateway;

import static drover.gateway.GatewayFixture.token;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import drover.agent.v1.ConnectRequest;
import drover.agent.v1.ConnectResponse;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * An agent that keeps to the flow control of HTTP/2 to the byte: it says as much as it may at once,
 * and lets the door say as little as a test wants. For one thread.
 */
final class RawAgent implements AutoCloseable {
    private static final int STREAM = 1;
    private static final int DATA = 0;
    private static final int WINDOW_UPDATE = 8;
    private static final short INITIAL_WINDOW = 4; // number of that setting
    private static final int USUAL_WINDOW = 65_535; // RFC 9113, 6.9.2
    private static final int LARGEST_FRAME = 16 * 1024;
    private static final int PREFIX = 5; // of a message of gRPC: not compressed, and its length

    final RawConnection connection;
    private final ByteArrayOutputStream received = new ByteArrayOutputStream();
    private long leftOfStream;
    private long leftOfConnection = USUAL_WINDOW;
    private long reported;

    /**
     * Dials for a registered node and says hello.
     *
     * @param window what the door may say before it is {@linkplain #lets let}
     */
    RawAgent(int port, String node, int window) throws IOException {
        this.connection = RawConnection.openWithoutPreface(port);
        this.leftOfStream = initialWindow(connection.openConnection(setting(window)));
        connection.call(STREAM, token(node));
        if (!trySend(ConnectRequest.newBuilder().setHello(TestAgent.hello(1, 1)).build())) {
            throw new IOException("the door lets nobody say hello");
        }
    }

    /** With the window that clients have who set none. */
    static RawAgent connect(int port, String node) throws IOException {
        return new RawAgent(port, node, USUAL_WINDOW);
    }

    private static byte[] setting(int window) {
        return ByteBuffer.allocate(6).putShort(INITIAL_WINDOW).putInt(window).array();
    }

    private static int initialWindow(ByteBuffer settings) {
        int window = USUAL_WINDOW;
        while (settings.remaining() > 0) {
            short name = settings.getShort();
            int value = settings.getInt();
            window = name == INITIAL_WINDOW ? value : window;
        }
        return window;
    }

    /** From now on a door that says nothing for so long has nothing to say. */
    RawAgent waitsFor(Duration limit) throws IOException {
        connection.waitsFor(limit);
        return this;
    }

    /**
     * Says it as soon as the door lets it.
     *
     * @return false when the door did not for as long as this agent waits; the rest is never said
     */
    boolean trySend(MessageLite message) throws IOException {
        ByteBuffer rest = framed(message);
        try {
            while (rest.hasRemaining()) {
                sendPart(rest);
            }
            return true;
        } catch (SocketTimeoutException e) {
            return false;
        }
    }

    private static ByteBuffer framed(MessageLite message) {
        int size = message.getSerializedSize();
        return ByteBuffer.allocate(PREFIX + size)
                .put((byte) 0)
                .putInt(size)
                .put(message.toByteArray())
                .flip();
    }

    private void sendPart(ByteBuffer rest) throws IOException {
        long left = Math.min(leftOfStream, leftOfConnection);
        if (left <= 0) {
            receive();
            return;
        }
        byte[] part = new byte[(int) Math.min(Math.min(left, LARGEST_FRAME), rest.remaining())];
        rest.get(part);
        connection.frame(DATA, 0, STREAM, part);
        leftOfStream -= part.length;
        leftOfConnection -= part.length;
        reported += part.length;
    }

    /** Bytes that the door let this agent say. */
    long sentCount() {
        return reported;
    }

    /** Lets the door say so many bytes more. */
    void lets(int bytes) throws IOException {
        byte[] more = ByteBuffer.allocate(4).putInt(bytes).array();
        connection.frame(WINDOW_UPDATE, 0, STREAM, more);
        connection.frame(WINDOW_UPDATE, 0, 0, more);
    }

    /** Reads one frame. */
    void receive() throws IOException {
        RawConnection.Frame frame = connection.next();
        switch (frame.type()) {
            case DATA -> received.writeBytes(frame.payload().array());
            case WINDOW_UPDATE -> {
                int more = frame.payload().getInt();
                if (frame.stream() == 0) {
                    leftOfConnection += more;
                } else {
                    leftOfStream += more;
                }
            }
            case RawConnection.GOAWAY, RawConnection.RST_STREAM ->
                    throw new EOFException("the door ended it");
            default -> {}
        }
    }

    /** Bytes that the door has said. */
    int receivedCount() {
        return received.size();
    }

    /** Those of the messages that are whole by now. */
    List<ConnectResponse> messages() throws InvalidProtocolBufferException {
        List<ConnectResponse> messages = new ArrayList<>();
        ByteBuffer rest = ByteBuffer.wrap(received.toByteArray());
        while (rest.remaining() >= PREFIX) {
            rest.get();
            int size = rest.getInt();
            if (rest.remaining() < size) {
                break;
            }
            messages.add(ConnectResponse.parseFrom(ByteString.copyFrom(rest, size)));
        }
        return messages;
    }

    @Override
    public void close() throws IOException {
        connection.close();
    }
}
