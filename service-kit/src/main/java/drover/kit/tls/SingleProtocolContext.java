package drover.kit.tls;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.security.SecureRandom;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLContextSpi;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLServerSocketFactory;
import javax.net.ssl.SSLSessionContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManager;

/**
 * A context whose sockets and engines have one protocol version enabled. A context of the JDK
 * enables older versions as well at servers, and a web server that creates sockets from it cannot
 * change that.
 */
final class SingleProtocolContext extends SSLContextSpi {
    private final SSLContext context;
    private final String[] protocols;

    private SingleProtocolContext(SSLContext context) {
        this.context = context;
        this.protocols = new String[] {context.getProtocol()};
    }

    /** The same context with the protocol of its name alone, for example {@code TLSv1.3}. */
    static SSLContext restrict(SSLContext context) {
        return new SSLContext(
                new SingleProtocolContext(context),
                context.getProvider(),
                context.getProtocol()) {};
    }

    @Override
    protected void engineInit(KeyManager[] keys, TrustManager[] trust, SecureRandom random) {
        throw new IllegalStateException("already initialized");
    }

    @Override
    protected SSLSocketFactory engineGetSocketFactory() {
        return new SocketFactory(context.getSocketFactory(), protocols);
    }

    @Override
    protected SSLServerSocketFactory engineGetServerSocketFactory() {
        return context.getServerSocketFactory(); // the web server creates none
    }

    @Override
    protected SSLEngine engineCreateSSLEngine() {
        return restrict(context.createSSLEngine());
    }

    @Override
    protected SSLEngine engineCreateSSLEngine(String host, int port) {
        return restrict(context.createSSLEngine(host, port));
    }

    private SSLEngine restrict(SSLEngine engine) {
        engine.setEnabledProtocols(protocols);
        return engine;
    }

    @Override
    protected SSLSessionContext engineGetServerSessionContext() {
        return context.getServerSessionContext();
    }

    @Override
    protected SSLSessionContext engineGetClientSessionContext() {
        return context.getClientSessionContext();
    }

    private static final class SocketFactory extends SSLSocketFactory {
        private final SSLSocketFactory factory;
        private final String[] protocols;

        SocketFactory(SSLSocketFactory factory, String[] protocols) {
            this.factory = factory;
            this.protocols = protocols;
        }

        private Socket restrict(Socket socket) {
            ((SSLSocket) socket).setEnabledProtocols(protocols);
            return socket;
        }

        @Override
        public String[] getDefaultCipherSuites() {
            return factory.getDefaultCipherSuites();
        }

        @Override
        public String[] getSupportedCipherSuites() {
            return factory.getSupportedCipherSuites();
        }

        @Override
        public Socket createSocket(Socket socket, InputStream consumed, boolean autoClose)
                throws IOException {
            return restrict(factory.createSocket(socket, consumed, autoClose));
        }

        @Override
        public Socket createSocket(Socket socket, String host, int port, boolean autoClose)
                throws IOException {
            return restrict(factory.createSocket(socket, host, port, autoClose));
        }

        @Override
        public Socket createSocket() throws IOException {
            return restrict(factory.createSocket());
        }

        @Override
        public Socket createSocket(String host, int port) throws IOException {
            return restrict(factory.createSocket(host, port));
        }

        @Override
        public Socket createSocket(String host, int port, InetAddress local, int localPort)
                throws IOException {
            return restrict(factory.createSocket(host, port, local, localPort));
        }

        @Override
        public Socket createSocket(InetAddress host, int port) throws IOException {
            return restrict(factory.createSocket(host, port));
        }

        @Override
        public Socket createSocket(InetAddress host, int port, InetAddress local, int localPort)
                throws IOException {
            return restrict(factory.createSocket(host, port, local, localPort));
        }
    }
}
