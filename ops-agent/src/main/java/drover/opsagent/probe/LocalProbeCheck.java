package drover.opsagent.probe;

import drover.model.Probe;
import drover.opsagent.runtime.LinuxProcesses;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/** Probes on this machine. */
public final class LocalProbeCheck implements ProbeCheck {
    private static final int MOST_BYTES = 1 << 20; // of an answer that is looked into
    private static final int MOST_SHOWN = 100; // characters of a value that is not as wanted
    private static final JsonMapper JSON = new JsonMapper(); // immutable

    @Override
    public String problem(Probe.Check check, Duration timeout, boolean alive) {
        try {
            return switch (check) {
                case Probe.Check.ProcessAlive() -> alive ? "" : "the process is not there";
                case Probe.Check.Tcp(String host, int port) -> tcp(host, port, timeout);
                case Probe.Check.Http http -> http(http, timeout);
                case Probe.Check.Exec(List<String> command) -> exec(command, timeout);
            };
        } catch (SocketTimeoutException e) {
            return "it did not answer in time";
        } catch (IOException | IllegalArgumentException e) {
            return "it cannot be tried (" + e.getMessage() + ")";
        }
    }

    private static String tcp(String host, int port, Duration timeout) throws IOException {
        try (Socket socket = new Socket()) {
            String to = host.isEmpty() ? "127.0.0.1" : host;
            socket.connect(new InetSocketAddress(to, port), millis(timeout));
            return "";
        }
    }

    private static String http(Probe.Check.Http probe, Duration timeout) throws IOException {
        if (!(URI.create(probe.url()).toURL().openConnection() instanceof HttpURLConnection http)) {
            return probe.url() + " is no http address: correct the probe";
        }
        http.setInstanceFollowRedirects(false);
        http.setConnectTimeout(millis(timeout));
        http.setReadTimeout(millis(timeout));
        // The connection's own timeouts count from byte to byte: one that drips would never end.
        AtomicReference<String> answer = new AtomicReference<>("it did not answer in time");
        Thread asking = Thread.ofVirtual().start(() -> answer.set(answered(probe, http)));
        try {
            boolean ended = asking.join(timeout);
            return ended ? answer.get() : "it did not answer in time";
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "the agent is being closed";
        } finally {
            http.disconnect();
        }
    }

    private static String answered(Probe.Check.Http probe, HttpURLConnection http) {
        try {
            int wanted = probe.status() == 0 ? HttpURLConnection.HTTP_OK : probe.status();
            if (http.getResponseCode() != wanted) {
                return "it answers " + http.getResponseCode() + " instead of " + wanted;
            }
            return probe.jsonPointer().isEmpty() ? "" : pointedAt(probe, http);
        } catch (SocketTimeoutException e) {
            return "it did not answer in time";
        } catch (IOException | IllegalArgumentException e) {
            return "it does not answer (" + e.getMessage() + ")";
        } catch (JacksonException e) {
            return "it does not answer with JSON";
        }
    }

    private static String pointedAt(Probe.Check.Http probe, HttpURLConnection http)
            throws IOException {
        InputStream body = http.getErrorStream(); // there when the status is 400 or more
        try (InputStream in = body == null ? http.getInputStream() : body) {
            String found =
                    JSON.readTree(in.readNBytes(MOST_BYTES)).at(probe.jsonPointer()).asString("");
            return found.equals(probe.equalTo())
                    ? ""
                    : probe.jsonPointer()
                            + " is '"
                            + shortened(found)
                            + "' instead of '"
                            + probe.equalTo()
                            + "'";
        }
    }

    private static String shortened(String text) {
        return text.length() <= MOST_SHOWN ? text : text.substring(0, MOST_SHOWN) + "…";
    }

    private static String exec(List<String> command, Duration timeout) throws IOException {
        ProcessBuilder builder =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD);
        builder.environment().keySet().retainAll(LinuxProcesses.PASSED_ON);
        Process process = builder.start();
        try {
            if (!process.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS)) {
                return "it did not end in time";
            }
            return process.exitValue() == 0 ? "" : "it exits with " + process.exitValue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "the agent is being closed";
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }

    private static int millis(Duration timeout) {
        return Math.clamp(timeout.toMillis(), 1, Integer.MAX_VALUE);
    }
}
