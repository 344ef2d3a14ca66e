package drover.kit.http;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import drover.kit.grpc.Refused;
import drover.model.RefusalCode;
import io.helidon.http.HeaderNames;
import io.helidon.webserver.http.ServerRequest;
import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Body of one request. It is read only on demand, after the access check, and counts against the
 * memory that all bodies of the endpoint share.
 */
final class RequestBody implements Supplier<ByteString>, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RequestBody.class);

    /** A manifest is at most 256 KiB. */
    static final int LARGEST = 1024 * 1024;

    /** Memory for all bodies of one endpoint: 16 of the largest. */
    static final int LARGEST_TOTAL = 16 * LARGEST;

    /** A rest of this size is read and dropped, so that the client can read the response. */
    private static final int LARGEST_DROPPED = 64 * 1024;

    private final ServerRequest request;
    private final ConnectionGuard.Connection connection;
    private final Semaphore memory;
    private int reserved;
    private boolean read;

    RequestBody(ServerRequest request, ConnectionGuard.Connection connection, Semaphore memory) {
        this.request = request;
        this.connection = connection;
        this.memory = memory;
    }

    /** Whether the client sends a body that was not read. */
    boolean isUnread() {
        return !read && request.content().hasEntity();
    }

    /**
     * Reads the body.
     *
     * @throws Refused when it is too large, incomplete, or too many are being read
     */
    @Override
    public ByteString get() {
        if (!request.content().hasEntity()) {
            return ByteString.EMPTY;
        }
        long stated = request.headers().contentLength().orElse(LARGEST);
        if (stated > LARGEST) {
            throw tooLarge();
        }
        reserve((int) stated);
        read = true;
        connection.startBody();
        byte[] body = read();
        if (body.length > LARGEST) {
            throw tooLarge();
        }
        return UnsafeByteOperations.unsafeWrap(body);
    }

    private byte[] read() {
        try (InputStream content = request.content().inputStream()) {
            return content.readNBytes(LARGEST + 1);
        } catch (IOException | RuntimeException e) {
            // the web server's own exceptions have no common type
            LOG.debug("A body is incomplete reason={}", e.getMessage());
            throw new Refused(RefusalCode.BODY_NOT_JSON, "The body did not arrive whole.");
        } finally {
            connection.cancel();
        }
    }

    private static Refused tooLarge() {
        return new Refused(
                RefusalCode.BODY_TOO_LARGE, "The body is larger than 1 MiB; send less at once.");
    }

    private void reserve(int bytes) {
        if (!memory.tryAcquire(bytes)) {
            throw new Refused(
                    RefusalCode.OVERLOADED,
                    "Too many large bodies are being read; try again in a second.");
        }
        reserved = bytes;
    }

    /**
     * Drops what the client still sends after the response, within the deadline of a body. A
     * connection that is closed with unread data is reset, and the client may lose the response.
     */
    void drop() {
        if (request.headers().contains(HeaderNames.EXPECT)) {
            return; // the client waits for permission to send
        }
        read = true;
        connection.startBody();
        try (InputStream content = request.content().inputStream()) {
            content.skipNBytes(LARGEST_DROPPED);
        } catch (IOException | RuntimeException e) {
            LOG.debug("The rest of a body was not read reason={}", e.getMessage());
        }
    }

    /** Releases its memory. */
    @Override
    public void close() {
        memory.release(reserved);
        reserved = 0;
    }
}
