package drover.standalone;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;

/**
 * A port of this machine that leads to where only a process of elsewhere gets, such as a network
 * namespace: each connection is that process's input and output.
 */
final class Relay implements AutoCloseable {
    private final ServerSocket server;
    private final List<String> process;

    private Relay(ServerSocket server, List<String> process) {
        this.server = server;
        this.process = process;
    }

    /**
     * Opens it.
     *
     * @param process connects its input and output with the other end
     */
    static Relay open(List<String> process) throws IOException {
        Relay relay = new Relay(new ServerSocket(0, 50, InetAddress.getLoopbackAddress()), process);
        Thread.ofVirtual().name("relay").start(relay::accept);
        return relay;
    }

    int port() {
        return server.getLocalPort();
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                Socket caller = server.accept();
                Thread.ofVirtual().name("relayed").start(() -> connect(caller));
            } catch (IOException e) {
                return; // closed
            }
        }
    }

    private void connect(Socket caller) {
        try (caller) {
            Process there =
                    new ProcessBuilder(process)
                            .redirectError(ProcessBuilder.Redirect.DISCARD)
                            .start();
            try {
                Thread.ofVirtual().start(() -> ask(caller, there));
                pass(there.getInputStream(), caller.getOutputStream());
            } finally {
                there.destroy();
            }
        } catch (IOException e) {
            // either end has gone, which the caller notices by itself
        }
    }

    private static void ask(Socket caller, Process there) {
        try (OutputStream to = there.getOutputStream()) {
            pass(caller.getInputStream(), to);
        } catch (IOException e) {
            there.destroy();
        }
    }

    /** At once, not when a buffer is full. */
    private static void pass(InputStream from, OutputStream to) throws IOException {
        byte[] bytes = new byte[16 * 1024];
        for (int read = from.read(bytes); read >= 0; read = from.read(bytes)) {
            to.write(bytes, 0, read);
            to.flush();
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
