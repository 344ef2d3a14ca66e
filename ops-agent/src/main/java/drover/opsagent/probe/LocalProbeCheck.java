package drover.opsagent.probe;

import drover.model.Probe;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/** Probes on this machine. */
public final class LocalProbeCheck implements ProbeCheck {
    private static final int MOST_BYTES = 1 << 20; // of an answer that is looked into
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
        } catch (IOException | IllegalArgumentException | JacksonException e) {
            return String.valueOf(e.getMessage());
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
        HttpURLConnection http =
                (HttpURLConnection) URI.create(probe.url()).toURL().openConnection();
        http.setInstanceFollowRedirects(false);
        http.setConnectTimeout(millis(timeout));
        http.setReadTimeout(millis(timeout));
        try {
            int wanted = probe.status() == 0 ? HttpURLConnection.HTTP_OK : probe.status();
            if (http.getResponseCode() != wanted) {
                return "it answers " + http.getResponseCode() + " instead of " + wanted;
            }
            return probe.jsonPointer().isEmpty() ? "" : pointedAt(probe, http);
        } finally {
            http.disconnect();
        }
    }

    private static String pointedAt(Probe.Check.Http probe, HttpURLConnection http)
            throws IOException {
        try (InputStream in = http.getInputStream()) {
            String found =
                    JSON.readTree(in.readNBytes(MOST_BYTES)).at(probe.jsonPointer()).asString("");
            return found.equals(probe.equalTo())
                    ? ""
                    : probe.jsonPointer()
                            + " is '"
                            + found
                            + "' instead of '"
                            + probe.equalTo()
                            + "'";
        }
    }

    private static String exec(List<String> command, Duration timeout) throws IOException {
        Process process =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .start();
        try {
            if (!process.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS)) {
                return "it did not end in time";
            }
            return process.exitValue() == 0 ? "" : "it exits with " + process.exitValue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "the agent is being closed";
        } finally {
            process.destroyForcibly();
        }
    }

    private static int millis(Duration timeout) {
        return Math.clamp(timeout.toMillis(), 1, Integer.MAX_VALUE);
    }
}
