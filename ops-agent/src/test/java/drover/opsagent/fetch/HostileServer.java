package drover.opsagent.fetch;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A loopback server that says whatever a test wants, well-formed or not. */
final class HostileServer implements AutoCloseable {
    private final ServerSocket server;
    private final Words words;
    private final List<String> heads = new CopyOnWriteArrayList<>();
    private final List<Socket> open = new CopyOnWriteArrayList<>();
    private final CountDownLatch closed = new CountDownLatch(1);

    /** What it answers to the head of a request. */
    interface Words {
        void to(String head, OutputStream out) throws IOException;
    }

    HostileServer(Words words) {
        this(plain("127.0.0.1"), words);
    }

    HostileServer(ServerSocket server, Words words) {
        this.server = server;
        this.words = words;
        Thread.ofVirtual().start(this::accept);
    }

    static ServerSocket plain(String address) {
        try {
            ServerSocket server = new ServerSocket();
            server.bind(new InetSocketAddress(address, 0));
            return server;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Resets the first connections after it accepted them, as a server does that restarts. */
    static ServerSocket resetting(int connections) {
        return ending(connections, true);
    }

    /**
     * Ends the first connections after it accepted them.
     *
     * @param reset whether it resets them instead of closing them
     */
    static ServerSocket ending(int connections, boolean reset) {
        AtomicInteger left = new AtomicInteger(connections);
        try {
            return new ServerSocket(0, 50, InetAddress.getLoopbackAddress()) {
                @Override
                public Socket accept() throws IOException {
                    Socket socket = super.accept();
                    while (left.getAndDecrement() > 0) {
                        socket.setSoLinger(reset, 0);
                        socket.close();
                        socket = super.accept();
                    }
                    return socket;
                }
            };
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    int port() {
        return server.getLocalPort();
    }

    /** Waits until the client has closed each of its connections. */
    void awaitDisconnects() {
        for (Socket socket : open) {
            try {
                while (!socket.isClosed() && socket.getInputStream().read() >= 0) {
                    // what the client still sends
                }
            } catch (IOException _) {
                // reset by the client
            }
        }
    }

    /** The heads of all requests so far. */
    List<String> heads() {
        return heads;
    }

    /** One byte after another with a rest between them, until the client disconnects. */
    void drip(OutputStream out, byte[] bytes, long restMillis) throws IOException {
        for (int i = 0; ; i = (i + 1) % bytes.length) {
            out.write(bytes[i]);
            out.flush();
            rest(restMillis);
        }
    }

    /** Until the test is over or the time has passed. */
    void rest(long millis) throws IOException {
        try {
            if (closed.await(millis, TimeUnit.MILLISECONDS)) {
                throw new IOException("the test is over");
            }
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    static void send(OutputStream out, String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.ISO_8859_1));
        out.flush();
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                Socket socket = server.accept();
                open.add(socket);
                Thread.ofVirtual().start(() -> answer(socket));
            } catch (IOException _) {
                return; // closed
            }
        }
    }

    private void answer(Socket socket) {
        try (socket) {
            String head = head(socket.getInputStream());
            if (!head.isEmpty()) {
                heads.add(head);
                words.to(head, socket.getOutputStream());
            }
        } catch (IOException _) {
            // whoever asked has gone, which is what most tests want
        }
    }

    private static String head(InputStream in) throws IOException {
        StringBuilder head = new StringBuilder();
        for (int c = in.read(); c >= 0; c = in.read()) {
            head.append((char) c);
            if (head.toString().endsWith("\r\n\r\n")) {
                return head.toString();
            }
        }
        return "";
    }

    @Override
    public void close() throws IOException {
        closed.countDown();
        server.close();
        for (Socket socket : open) {
            socket.close();
        }
    }
}
