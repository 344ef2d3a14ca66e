package drover.kit.tls;

import java.net.SocketAddress;
import java.security.cert.CertificateException;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Says in the log why a handshake failed: the other end is told next to nothing. */
final class HandshakeFailureLog {
    private static final Logger LOG = LoggerFactory.getLogger(HandshakeFailureLog.class);

    /** So many lines a second say enough of a flood. */
    private static final int MOST_LINES = 10;

    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    /** At our own doors. */
    static final HandshakeFailureLog SERVER = new HandshakeFailureLog("The caller", "this door's");

    /** When we dialled. */
    static final HandshakeFailureLog CLIENT = new HandshakeFailureLog("The door", "our");

    private final String other;
    private final String own;

    private long second = System.nanoTime(); // when the present one began
    private int reported; // in it
    private long unsaid; // since the last line

    private HandshakeFailureLog(String other, String own) {
        this.other = other;
        this.own = own;
    }

    /** Tells of one, unless its certificate was refused: {@link PeerTrustManager} spoke of that. */
    void logIfHandshakeFailure(Throwable failure, @Nullable SocketAddress with) {
        reason(failure).ifPresent(reason -> logRateLimited(reason, String.valueOf(with)));
    }

    private synchronized void logRateLimited(String reason, String with) {
        long now = System.nanoTime();
        if (now - second >= SECOND) {
            second = now;
            reported = 0;
        }
        if (reported == MOST_LINES) {
            unsaid++;
            return;
        }
        reported++;
        LOG.info("A handshake failed peer={} reason={} unsaidBefore={}", with, reason, unsaid);
        unsaid = 0;
    }

    /** Empty for what is no failure of a handshake, and for certificates that were refused. */
    private Optional<String> reason(Throwable failure) {
        Throwable tls = null;
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof CertificateException) {
                return Optional.empty();
            }
            if (tls == null && cause instanceof SSLException) {
                tls = cause;
            }
        }
        return Optional.ofNullable(tls)
                .map(it -> sentence(it.getClass().getSimpleName(), it.getMessage()));
    }

    private String sentence(String kind, @Nullable String message) {
        if (kind.equals("NotSslRecordException")) {
            return other + " spoke no TLS: give it a certificate and the settings for it.";
        }
        String output = String.valueOf(message).toUpperCase(Locale.ROOT);
        if (output.contains("PEER_DID_NOT_RETURN_A_CERTIFICATE")) {
            return other + " showed no certificate.";
        }
        if (output.contains("UNSUPPORTED_PROTOCOL")) {
            return other + " spoke no TLS 1.3, which alone is spoken here.";
        }
        if (output.contains("ALERT")) {
            return other
                    + " broke off, nearly always since it refused "
                    + own
                    + " certificate; its own log says why: "
                    + message;
        }
        return "The handshake broke off: " + message;
    }
}
