package drover.opsagent.probe;

import drover.model.program.ClusterProbe;
import drover.model.program.Probe;
import drover.opsagent.cluster.ClusterDriver.ProbeResult;
import drover.opsagent.policy.LocalPolicy;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * Probes of this machine, within the limits of its owner. A problem never quotes what a program or
 * a page returned: a probe would be a way to read what its author may not.
 */
public final class LocalProbeRunner implements ProbeRunner {
    private static final String LATE = "it did not answer in time";
    private static final JsonMapper JSON = new JsonMapper(); // immutable

    private final LocalPolicy policy;
    private final RestrictedProbeConnector targets;
    private final RestrictedProbeCommandRunner programs;

    /** Probes within these limits. */
    public LocalProbeRunner(LocalPolicy policy) {
        this.policy = policy;
        this.targets = new RestrictedProbeConnector(policy.programs().addresses());
        this.programs = new RestrictedProbeCommandRunner(policy);
    }

    private interface ProbeAttempt {
        String findProblem() throws IOException;
    }

    @Override
    public String runAndFindProblem(Probe.Check check, Duration timeout, boolean alive) {
        return switch (check) {
            case Probe.Check.ProcessAlive() -> alive ? "" : "the process is not there";
            case Probe.Check.Tcp(String host, int port) ->
                    runWithTimeout(timeout, () -> checkTcp(host, port, timeout));
            case Probe.Check.Http http -> runWithTimeout(timeout, () -> checkHttp(http, timeout));
            case Probe.Check.Exec(List<String> command) ->
                    runAttempt(() -> programs.runAndFindProblem(command, timeout));
        };
    }

    @Override
    public Supplier<ProbeResult> newClusterProbe(ClusterProbe probe) {
        return new RestrictedClusterProbe(probe, policy, targets);
    }

    /** A socket's own timeouts count from byte to byte: one that drips would never end. */
    private static String runWithTimeout(Duration timeout, ProbeAttempt attempt) {
        AtomicReference<String> problem = new AtomicReference<>(LATE);
        Thread trying = Thread.ofVirtual().start(() -> problem.set(runAttempt(attempt)));
        try {
            return trying.join(timeout) ? problem.get() : LATE;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "the agent is being closed";
        } finally {
            trying.interrupt(); // closes its socket
        }
    }

    private static String runAttempt(ProbeAttempt attempt) {
        try {
            return attempt.findProblem();
        } catch (SocketTimeoutException e) {
            return LATE;
        } catch (IOException | IllegalArgumentException e) {
            return "it cannot be tried (" + e.getMessage() + ")";
        }
    }

    private String checkTcp(String host, int port, Duration timeout) throws IOException {
        String to = host.isEmpty() ? "127.0.0.1" : host;
        try (Socket socket = targets.connect(to, port, timeout)) {
            return socket.isConnected() ? "" : "it is not connected";
        }
    }

    private String checkHttp(Probe.Check.Http probe, Duration timeout) throws IOException {
        URI page = URI.create(URI.create(probe.url()).toASCIIString());
        boolean secure = "https".equalsIgnoreCase(page.getScheme());
        if (page.getHost() == null || !(secure || "http".equalsIgnoreCase(page.getScheme()))) {
            return probe.url() + " is no http address: correct the probe";
        }
        String host = page.getHost().replaceAll("[\\[\\]]", "");
        int standard = secure ? 443 : 80;
        int port = page.getPort() < 0 ? standard : page.getPort();
        try (Socket plain = targets.connect(host, port, timeout);
                Socket socket = secure ? startTls(plain, host, port) : plain) {
            return findResponseProblem(
                    probe, HttpProbeResponse.get(socket, page, !probe.jsonPointer().isEmpty()));
        }
    }

    private static Socket startTls(Socket plain, String host, int port) throws IOException {
        SSLSocketFactory factory = (SSLSocketFactory) SSLSocketFactory.getDefault();
        SSLSocket socket = (SSLSocket) factory.createSocket(plain, host, port, true);
        SSLParameters parameters = socket.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        socket.setSSLParameters(parameters);
        socket.startHandshake();
        return socket;
    }

    private static String findResponseProblem(Probe.Check.Http probe, HttpProbeResponse answer) {
        int wanted = probe.status() == 0 ? 200 : probe.status();
        if (answer.status() != wanted) {
            return "it answers " + answer.status() + " instead of " + wanted;
        }
        if (probe.jsonPointer().isEmpty()) {
            return "";
        }
        try {
            String found = JSON.readTree(answer.body()).at(probe.jsonPointer()).asString("");
            return found.equals(probe.equalTo())
                    ? ""
                    : probe.jsonPointer() + " is not '" + probe.equalTo() + "'";
        } catch (JacksonException e) {
            return "it does not answer with JSON";
        }
    }
}
