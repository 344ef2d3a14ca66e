package drover.system.upgrade;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import drover.model.Digest;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Two releases of a program that writes down each of its starts, and an address where the second is
 * fetched: slowly, until so many nodes may have it. So a node is at work for as long as a test
 * wants.
 */
final class ThrottledArtifacts implements AutoCloseable {
    private static final int PAD = 2 << 20; // slow for a quarter of an hour, by what follows
    private static final int SIP = 1024; // four a second: more than an agent takes for a stall
    private static final long BETWEEN_SIPS = 250_000_000;

    private final StartLoggingPrograms programs;
    private final HttpServer server;
    private final AtomicInteger allowed = new AtomicInteger();
    private final AtomicInteger requested = new AtomicInteger();

    ThrottledArtifacts(StartLoggingPrograms programs) throws IOException {
        this.programs = programs;
        this.server =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/v2", this::serve);
        server.start();
    }

    /** The program of a version. */
    byte[] program(String version) {
        return programs.program(version, PAD);
    }

    Digest digest(String version) {
        return Digest.of(program(version));
    }

    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort() + "/v2";
    }

    /** So many nodes may have it now. */
    void allow(int nodes) {
        allowed.set(nodes);
    }

    /** How often it was asked for. */
    int requestCount() {
        return requested.get();
    }

    private void serve(HttpExchange exchange) throws IOException {
        requested.incrementAndGet();
        byte[] program = program("v2");
        exchange.sendResponseHeaders(200, program.length);
        int sent = 0;
        try (OutputStream out = exchange.getResponseBody()) {
            while (isHeld() && sent < program.length) {
                out.write(program, sent, SIP);
                out.flush();
                sent += SIP;
                LockSupport.parkNanos(BETWEEN_SIPS);
            }
            out.write(program, sent, program.length - sent);
        } catch (IOException e) {
            // its agent was ended: the next one asks again
        }
    }

    private boolean isHeld() {
        return programs.starts().stream().filter(start -> start.version().equals("v2")).count()
                >= allowed.get();
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
