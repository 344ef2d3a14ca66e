package drover.kit.rest;

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
 * memory that all bodies of the endpoint share. The bytes that arrive for it count against the
 * budget of the connection, because the web server buffers a chunk of any size as a whole.
 */
final class RequestBody implements Supplier<ByteString>, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RequestBody.class);

    /** A manifest is at most 256 KiB. */
    static final int MAX_BYTES = 1024 * 1024;

    /** Memory for all bodies of one endpoint: 16 of the largest. */
    static final int MAX_TOTAL_BYTES = 16 * MAX_BYTES;

    /**
     * Bytes that arrive for the largest body: chunks of 32 bytes and more add at most a fifth, and
     * an unread rest of the last buffer is below 64 KiB.
     */
    private static final int BUDGET = MAX_BYTES + MAX_BYTES / 4;

    /**
     * A rest of this size is read and dropped without memory, so that a client that sends a body
     * somewhat too large receives the response.
     */
    private static final int MAX_DROPPED_BYTES = 2 * MAX_BYTES;

    /** The same for chunks, which the web server buffers: 16 MiB for 1,024 connections. */
    private static final int MAX_DROPPED_CHUNK_BYTES = 16 * 1024;

    private final ServerRequest request;
    private final ConnectionGuard.Connection connection;
    private final Semaphore memory;
    private int reserved;
    private boolean started;
    private boolean complete;

    RequestBody(ServerRequest request, ConnectionGuard.Connection connection, Semaphore memory) {
        this.request = request;
        this.connection = connection;
        this.memory = memory;
    }

    /** Whether bytes of the body may be left; the connection cannot be used after the response. */
    boolean hasUnreadBytes() {
        return !complete && request.content().hasEntity();
    }

    private boolean isChunked() {
        return request.headers().contains(HeaderNames.TRANSFER_ENCODING);
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
        long stated = request.headers().contentLength().orElse(MAX_BYTES);
        if (stated > MAX_BYTES) {
            throw tooLarge();
        }
        reserveMemory(
                isChunked() ? 2 * MAX_BYTES : (int) stated); // the buffered chunk, and the body
        started = true;
        connection.startBodyDeadline(BUDGET);
        byte[] body = read();
        if (body.length > MAX_BYTES) {
            throw tooLarge();
        }
        complete = true;
        return UnsafeByteOperations.unsafeWrap(body);
    }

    private byte[] read() {
        try (InputStream content = request.content().inputStream()) {
            return content.readNBytes(MAX_BYTES + 1);
        } catch (IOException | RuntimeException e) {
            // the web server's own exceptions have no common type
            LOG.debug("A body is incomplete reason={}", e.getMessage());
            if (connection.isOverBudget()) {
                throw tooLarge();
            }
            throw new Refused(RefusalCode.BODY_NOT_JSON, "The body did not arrive whole.");
        } finally {
            connection.cancelDeadline();
        }
    }

    private static Refused tooLarge() {
        return new Refused(
                RefusalCode.BODY_TOO_LARGE, "The body is larger than 1 MiB; send less at once.");
    }

    private void reserveMemory(int bytes) {
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
    void drainUnread() {
        if (started || request.headers().contains(HeaderNames.EXPECT)) {
            return; // broken by now, or the client waits for permission to send
        }
        connection.startBodyDeadline(isChunked() ? MAX_DROPPED_CHUNK_BYTES : MAX_DROPPED_BYTES);
        try (InputStream content = request.content().inputStream()) {
            content.skipNBytes(MAX_DROPPED_BYTES);
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
