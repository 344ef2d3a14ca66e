package drover.opsagent.engine;

import drover.model.MalformedValue;
import drover.model.program.BinaryName;
import drover.opsagent.engine.attempt.FailureReasonAndDetail;
import drover.opsagent.runtime.NodeRuntime;
import drover.opsagent.time.AgentStopping;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the end of a program's output when the control plane requests it. At most one request and
 * one response wait; a later one replaces an earlier one. Changes nothing on the node.
 */
public final class LogRequestHandler {
    private static final Logger LOG = LoggerFactory.getLogger(LogRequestHandler.class);
    private static final int MAX_BYTES = 32 * 1024; // of the encoded text
    private static final int MAX_DETAIL = 300; // characters

    private final Supplier<List<BinaryName>> programs;
    private final NodeRuntime runtime;
    private final Runnable onResponse;
    private final AtomicReference<@Nullable Request> pending = new AtomicReference<>();
    private final AtomicReference<@Nullable Response> response = new AtomicReference<>();

    /** A request; its values are the control plane's and not checked. */
    public record Request(String requestId, String program) {}

    /**
     * The response to a request.
     *
     * @param detail why there is no output, in one sentence; empty if it was read
     */
    public record Response(String requestId, String text, String detail) {}

    /**
     * Reads logs of the programs that the agent manages.
     *
     * @param onResponse called after each response; must not block
     */
    public LogRequestHandler(
            Supplier<List<BinaryName>> programs, NodeRuntime runtime, Runnable onResponse) {
        this.programs = programs;
        this.runtime = runtime;
        this.onResponse = onResponse;
    }

    /** Accepts a request. */
    public void setPendingRequest(Request request) {
        pending.set(request);
    }

    /** Reads the output for the pending request, if there is one. */
    public void readPending() {
        Request request = pending.getAndSet(null);
        if (request != null) {
            response.set(read(request));
            onResponse.run();
        }
    }

    /** Returns the response to be sent, once. */
    public Optional<Response> takeResponse() {
        return Optional.ofNullable(response.getAndSet(null));
    }

    private Response read(Request request) {
        Optional<BinaryName> program = findProgram(request.program());
        if (program.isEmpty()) {
            return failedResponse(
                    request, "The node has no such program; it has " + programNames() + ".");
        }
        try {
            String text = runtime.logTail(program.get(), MAX_BYTES);
            String startFailure = runtime.describeStartFailure(program.get());
            if (text.isBlank() && !startFailure.isEmpty()) {
                return failedResponse(
                        request,
                        "The program cannot be started: "
                                + startFailure
                                + ". Its current run printed nothing.");
            }
            return new Response(request.requestId(), lastBytes(text, MAX_BYTES), "");
        } catch (AgentStopping e) {
            throw e;
        } catch (RuntimeException e) {
            LOG.warn("A log cannot be read program={}", program.get(), e);
            return failedResponse(
                    request,
                    "The agent cannot read the output ("
                            + FailureReasonAndDetail.of(e).detail()
                            + "); read it on the node.");
        }
    }

    private static Response failedResponse(Request request, String detail) {
        String line = detail.replace('\n', ' ');
        return new Response(
                request.requestId(),
                "",
                line.length() <= MAX_DETAIL ? line : line.substring(0, MAX_DETAIL - 1) + "…");
    }

    private Optional<BinaryName> findProgram(String name) {
        try {
            return Optional.of(new BinaryName(name)).filter(programs.get()::contains);
        } catch (MalformedValue e) {
            return Optional.empty();
        }
    }

    private String programNames() {
        String names =
                programs.get().stream().map(BinaryName::value).collect(Collectors.joining(", "));
        return names.isEmpty() ? "none" : names;
    }

    /** The end of a text: as many whole characters as its UTF-8 form may have bytes. */
    static String lastBytes(String text, int bytes) {
        int start = text.length();
        int size = 0;
        while (start > 0) {
            int character = text.codePointBefore(start);
            size += encodedLength(character);
            if (size > bytes) {
                break;
            }
            start -= Character.charCount(character);
        }
        return text.substring(start);
    }

    private static int encodedLength(int character) {
        if (character < 0x80) {
            return 1;
        }
        if (character < 0x800) {
            return 2;
        }
        return Character.isBmpCodePoint(character) ? 3 : 4;
    }
}
