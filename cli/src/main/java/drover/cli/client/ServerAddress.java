package drover.cli.client;

import drover.cli.terminal.CommandFailed;
import io.grpc.ChannelCredentials;
import io.grpc.InsecureChannelCredentials;
import io.grpc.TlsChannelCredentials;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;

/**
 * Where Drover answers, and how it is spoken to: plain, or over TLS to one whose certificate is for
 * this host.
 */
public record ServerAddress(String host, int port, ChannelCredentials credentials) {
    private static final String SECURE = "https://";
    private static final int HIGHEST_PORT = 65_535;

    /**
     * Reads {@code host:port}, plain, or {@code https://host:port}.
     *
     * @param ca a file with the authorities that count; empty for those of this machine. With one,
     *     TLS is spoken whatever the address looks like
     * @throws CommandFailed as wrong usage when the address is none or the file holds none
     */
    public static ServerAddress parse(String text, String ca) {
        boolean secure = text.startsWith(SECURE);
        String address = secure ? text.substring(SECURE.length()) : text;
        int colon = address.lastIndexOf(':');
        if (colon < 1 || !address.substring(colon + 1).matches("[0-9]{1,5}")) {
            throw invalidAddress(text);
        }
        int port = Integer.parseInt(address.substring(colon + 1));
        if (port < 1 || port > HIGHEST_PORT) {
            throw invalidAddress(text);
        }
        return new ServerAddress(
                address.substring(0, colon),
                port,
                secure || !ca.isEmpty() ? tlsCredentials(ca) : InsecureChannelCredentials.create());
    }

    private static ChannelCredentials tlsCredentials(String ca) {
        if (ca.isEmpty()) {
            return TlsChannelCredentials.create();
        }
        try {
            byte[] authorities = Files.readAllBytes(Path.of(ca));
            requireCertificates(authorities);
            return TlsChannelCredentials.newBuilder()
                    .trustManager(new ByteArrayInputStream(authorities))
                    .build();
        } catch (IOException e) {
            throw CommandFailed.usage(
                    "The file " + ca + " of --ca cannot be read; check its name and permissions.");
        } catch (CertificateException e) {
            throw CommandFailed.usage(
                    ca + " of --ca holds no certificate of an authority in PEM form.");
        }
    }

    /** Else the library would fail at the first call, with a stack trace. */
    private static void requireCertificates(byte[] pem) throws CertificateException {
        CertificateFactory reader = CertificateFactory.getInstance("X.509");
        if (reader.generateCertificates(new ByteArrayInputStream(pem)).isEmpty()) {
            throw new CertificateException("none");
        }
    }

    private static CommandFailed invalidAddress(String text) {
        return CommandFailed.usage(
                "--server does not take '"
                        + text
                        + "'; write host:port, for example"
                        + " 127.0.0.1:9090, or https://host:port.");
    }
}
