package drover.opsagent.runtime.process;

import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Output of a command, read by a thread up to one byte beyond a limit. */
final class OutputHeadReader {
    private final InputStream stream;
    private final FutureTask<byte[]> read;

    private OutputHeadReader(InputStream stream, int limit) {
        this.stream = stream;
        this.read = new FutureTask<>(() -> readAndClose(limit));
    }

    static OutputHeadReader readInBackground(InputStream stream, int limit) {
        OutputHeadReader output = new OutputHeadReader(stream, limit);
        Thread.ofPlatform().daemon().name("command-output").start(output.read);
        return output;
    }

    private byte[] readAndClose(int limit) throws IOException {
        try (stream) {
            return stream.readNBytes(limit + 1);
        }
    }

    /**
     * Waits for the end of the output. It ends with the last process of the command.
     *
     * @throws IOException if the output cannot be read or does not end
     */
    byte[] await(Duration timeout) throws IOException, InterruptedException {
        try {
            return read.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw new IOException("its output cannot be read", e.getCause());
        } catch (TimeoutException e) {
            throw new IOException("a process of it keeps its output open and cannot be killed", e);
        }
    }
}
