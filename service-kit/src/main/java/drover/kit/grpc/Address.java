package drover.kit.grpc;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.stream.Stream;

/**
 * Where a gRPC door is: a port, or a name inside this process. What differs between one process and
 * several machines is nothing but these.
 */
public sealed interface Address {
    /** A port of a host; port 0 when listening takes a free one. */
    record Tcp(String host, int port) implements Address {
        @Override
        public String toString() {
            return host + ":" + port;
        }

        /** The address to listen on or dial. */
        public InetSocketAddress socketAddress() {
            return new InetSocketAddress(host, port);
        }
    }

    /**
     * A gRPC endpoint inside this process.
     *
     * @param name letters, digits and {@code . _ -} of ASCII: gRPC makes a URI of it
     */
    record InProcess(String name) implements Address {
        public InProcess {
            if (!name.matches("[A-Za-z0-9._-]+")) {
                throw new IllegalArgumentException(
                        "'"
                                + name
                                + "' cannot name an endpoint inside a process: use only the letters"
                                + " a to z, digits, and . _ -");
            }
        }

        @Override
        public String toString() {
            return PREFIX + name;
        }
    }

    /** What the written form of a door inside this process begins with. */
    String PREFIX = "in-process:";

    /**
     * Reads {@code host:port} or {@code in-process:name}.
     *
     * @throws IllegalArgumentException with one sentence for anything else
     */
    static Address parse(String text) {
        if (text.startsWith(PREFIX) && text.length() > PREFIX.length()) {
            return new InProcess(text.substring(PREFIX.length()));
        }
        int colon = text.lastIndexOf(':');
        try {
            int port = Integer.parseInt(text.substring(colon + 1));
            if (colon > 0 && port >= 0 && port <= 65_535) {
                return new Tcp(text.substring(0, colon), port);
            }
        } catch (NumberFormatException e) {
            throw malformed(text, e);
        }
        throw malformed(text, null);
    }

    /**
     * Reads addresses with commas between them, in their order; each counts once.
     *
     * @throws IllegalArgumentException with one sentence that names what is no address
     */
    static List<Address> parseAll(String text) {
        return Stream.of(text.split(",", -1)).map(each -> parse(each.strip())).distinct().toList();
    }

    private static IllegalArgumentException malformed(
            String text, @org.jspecify.annotations.Nullable Exception cause) {
        return new IllegalArgumentException(
                "'" + text + "' is no address: write host:port, for example 127.0.0.1:9090", cause);
    }
}
