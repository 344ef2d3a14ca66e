package drover.coordinator;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.function.BiPredicate;

/**
 * The wire between a program and its server. Frozen, neither hears of the other, and every
 * connection stays open: to the server that is a program that was stopped.
 */
public final class FreezableProxy implements AutoCloseable {
    private static final int REMEMBERED = 65_536; // more than one transaction of ours sends

    private final ServerSocket listener;
    private final int server;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final Set<Socket> unresponsive = ConcurrentHashMap.newKeySet();
    private final CountDownLatch stopped = new CountDownLatch(1);
    private volatile BiPredicate<String, String> before = (earlier, now) -> false;
    private volatile BiPredicate<String, String> after = (earlier, now) -> false;
    private volatile CountDownLatch gate = new CountDownLatch(0);

    /** To a server on this machine. */
    public FreezableProxy(int server) {
        this.server = server;
        try {
            listener = new ServerSocket(0, 128, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Thread.ofVirtual().start(this::listen);
    }

    /** Where the program finds it. */
    public int port() {
        return listener.getLocalPort();
    }

    /** Nothing gets through from now on. */
    public synchronized void freeze() {
        if (gate.getCount() == 0) {
            gate = new CountDownLatch(1);
        }
        stopped.countDown();
    }

    /** How many connections are open, seen from both ends. */
    public int open() {
        return sockets.size();
    }

    /** Of the connections that are open now nothing is heard any more; later ones get through. */
    public void dropTraffic() {
        unresponsive.addAll(sockets);
    }

    /**
     * Freezes once when the program sends something, before the server gets it.
     *
     * @param when given what this connection has sent lately, and what it sends now
     */
    public void freezeBefore(BiPredicate<String, String> when) {
        before = when;
    }

    /** The same, after the server got it. */
    public void freezeAfter(BiPredicate<String, String> when) {
        after = when;
    }

    /** Waits until it was frozen. */
    public void awaitFrozen() throws InterruptedException {
        stopped.await();
    }

    /** Everything that waited gets through. */
    public synchronized void thaw() {
        before = (earlier, now) -> false;
        after = (earlier, now) -> false;
        gate.countDown();
    }

    private void listen() {
        while (!listener.isClosed()) {
            try {
                connect(listener.accept());
            } catch (IOException e) {
                return; // closed
            }
        }
    }

    private void connect(Socket program) {
        sockets.add(program);
        try {
            Socket there = new Socket(InetAddress.getLoopbackAddress(), server);
            sockets.add(there);
            Thread.ofVirtual().start(() -> pump(program, there, true));
            Thread.ofVirtual().start(() -> pump(there, program, false));
        } catch (IOException e) {
            close(program); // the server is away
        }
    }

    private void pump(Socket from, Socket to, boolean watched) {
        StringBuilder sent = new StringBuilder();
        byte[] chunk = new byte[16_384];
        try (from;
                to;
                InputStream in = from.getInputStream();
                OutputStream out = to.getOutputStream()) {
            for (int length = in.read(chunk); length >= 0; length = in.read(chunk)) {
                String now = watched ? text(chunk, length) : "";
                freezeIf(watched && before.test(sent.toString(), now));
                gate.await();
                if (unresponsive.contains(from)) {
                    continue;
                }
                out.write(chunk, 0, length);
                out.flush();
                freezeIf(watched && after.test(sent.toString(), now));
                remember(sent, now);
            }
        } catch (IOException e) {
            // one of them has closed it
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            sockets.remove(from);
            sockets.remove(to);
            unresponsive.remove(from);
        }
    }

    private static void remember(StringBuilder sent, String now) {
        sent.append(now);
        sent.delete(0, Math.max(0, sent.length() - REMEMBERED));
    }

    private static String text(byte[] chunk, int length) {
        return new String(chunk, 0, length, StandardCharsets.ISO_8859_1);
    }

    private synchronized void freezeIf(boolean met) {
        if (met && stopped.getCount() > 0) {
            freeze();
        }
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // it is closed
        }
    }

    @Override
    public void close() {
        thaw();
        try {
            listener.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        sockets.forEach(FreezableProxy::close);
    }
}
