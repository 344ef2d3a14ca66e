package drover.kit.grpc;

import java.net.InetSocketAddress;

/** The address cannot be listened on, nearly always because another program has the port. */
public final class PortTaken extends RuntimeException {
    private static final long serialVersionUID = 1L;

    PortTaken(InetSocketAddress address, Throwable cause) {
        super("Port " + address.getPort() + " cannot be used on " + address.getHostString(), cause);
    }
}
