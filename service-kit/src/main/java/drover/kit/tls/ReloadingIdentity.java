package drover.kit.tls;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import drover.trust.identity.ServiceCertificateExpiry;
import drover.trust.identity.TlsKeyChainAndTrust;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Who this process is and whom it believes, as its files say now. Changed files are taken for the
 * next handshake; connections that stand are left alone. Files that do not fit together are half of
 * a change: what was good goes on being used, and the next look tries again.
 */
public final class ReloadingIdentity implements AutoCloseable {
    /** How soon a new certificate is in use; reading three small files costs nothing. */
    public static final Duration DEFAULT_RELOAD_INTERVAL = Duration.ofSeconds(5);

    private static final Logger LOG = LoggerFactory.getLogger(ReloadingIdentity.class);

    private final TlsFiles files;
    private final List<Consumer<TlsKeyChainAndTrust>> checks = new CopyOnWriteArrayList<>();
    private final ScheduledThreadPoolExecutor looking;

    // One value each, so that a handshake sees one state or the other.
    private volatile IdentityGenerations state;
    private volatile String problem = "";
    private String lastWarning = ""; // what was last said of the certificate's end

    /**
     * @param seen what {@code now} was made of
     * @param current for new handshakes
     * @param previous for those that began before the last change
     */
    private record IdentityGenerations(
            TlsFiles.Contents seen,
            long generation,
            IdentitySnapshot current,
            IdentitySnapshot previous) {}

    private ReloadingIdentity(
            TlsFiles files, Consumer<TlsKeyChainAndTrust> check, IdentityGenerations state) {
        this.files = files;
        this.checks.add(check);
        this.state = state;
        this.looking =
                new ScheduledThreadPoolExecutor(
                        1, Thread.ofPlatform().daemon().name("tls-files").factory());
    }

    /**
     * Reads the files, and looks at them again every so often.
     *
     * @throws InvalidTlsFiles with one sentence when they are not good now
     */
    public static ReloadingIdentity open(TlsFiles files, Duration interval) {
        return open(files, interval, _ -> {});
    }

    /**
     * The same, of whatever the owner takes for its own. Files that it refuses later are not good:
     * a service that shows another one's certificate would be refused by all at once.
     *
     * @param check throws an {@link IllegalArgumentException} with one sentence
     * @throws IllegalArgumentException when it refuses what is there now
     * @throws InvalidTlsFiles with one sentence when the files are not good now
     */
    public static ReloadingIdentity open(
            TlsFiles files, Duration interval, Consumer<TlsKeyChainAndTrust> check) {
        TlsFiles.Contents seen = files.read();
        IdentitySnapshot first = IdentitySnapshot.of(1, seen.parse());
        check.accept(first.material());
        ReloadingIdentity identity =
                new ReloadingIdentity(files, check, new IdentityGenerations(seen, 1, first, first));
        long millis = Math.max(1, interval.toMillis());
        var _ =
                identity.looking.scheduleWithFixedDelay(
                        identity::reload, millis, millis, MILLISECONDS);
        return identity;
    }

    /**
     * Holds these files to one more rule, now and whenever they are read anew: what a part of the
     * process asks that did not open them.
     *
     * @param rule throws an {@link IllegalArgumentException} with one sentence
     * @throws IllegalArgumentException when it refuses what is in use now
     */
    public synchronized void checkAndAddRule(Consumer<TlsKeyChainAndTrust> rule) {
        rule.accept(material());
        checks.add(rule);
    }

    /** Looks now. What is wrong with the files is logged once, and {@link #problem told}. */
    void reload() {
        try {
            applyIfChanged(files.read());
            problem = "";
            warnOfExpiry(InstantSource.system().instant());
        } catch (InvalidTlsFiles | IllegalArgumentException e) {
            recordProblem(String.valueOf(e.getMessage()));
        } catch (RuntimeException e) {
            LOG.error("The files of an identity could not be looked at", e); // and are, next time
        }
    }

    private synchronized void applyIfChanged(TlsFiles.Contents seen) {
        IdentityGenerations present = state;
        if (seen.equals(present.seen())) {
            return;
        }
        long generation = present.generation() + 1;
        IdentitySnapshot next = IdentitySnapshot.of(generation, seen.parse());
        checks.forEach(check -> check.accept(next.material()));
        state = new IdentityGenerations(seen, generation, next, present.current());
        LOG.info(
                "A new certificate is in use file={} until={}",
                files.chain(),
                next.material().leaf().getNotAfter().toInstant());
    }

    private void recordProblem(String sentence) {
        if (!sentence.equals(problem)) {
            problem = sentence;
            LOG.warn(
                    "The files of an identity are not good; the old ones stay in use reason={}",
                    sentence);
        }
    }

    /** Once for each sentence, which is once a day. */
    private void warnOfExpiry(Instant now) {
        String sentence = expiry().warning(directory(), now).orElse("");
        if (!sentence.isEmpty() && !sentence.equals(lastWarning)) {
            LOG.warn("A certificate must be replaced reason={}", sentence);
        }
        lastWarning = sentence;
    }

    /** When the certificate that is in use ends. */
    public ServiceCertificateExpiry expiry() {
        X509Certificate leaf = material().leaf();
        return new ServiceCertificateExpiry(
                leaf.getNotBefore().toInstant(), leaf.getNotAfter().toInstant());
    }

    /** The directory of its files, for people. */
    public String directory() {
        return String.valueOf(files.chain().getParent());
    }

    /** What a person should see to, a sentence each: files that are not good, an end that nears. */
    public List<String> notices(Instant now) {
        String present = problem;
        return Stream.concat(
                        present.isEmpty()
                                ? Stream.of()
                                : Stream.of(
                                        "The files in "
                                                + directory()
                                                + " are not good, and the old certificate stays in"
                                                + " use: "
                                                + present),
                        expiry().warning(directory(), now).stream())
                .toList();
    }

    /** What is wrong with the files as they are now; empty when they are in use. */
    public String problem() {
        return problem;
    }

    /** What is shown and believed in the next handshake. */
    public TlsKeyChainAndTrust material() {
        return current().material();
    }

    IdentitySnapshot current() {
        return state.current();
    }

    /** The state that a handshake began with, unless there were two changes since. */
    Optional<IdentitySnapshot> byAlias(String alias) {
        IdentityGenerations present = state;
        return Stream.of(present.current(), present.previous())
                .filter(credential -> credential.alias().equals(alias))
                .findFirst();
    }

    @Override
    public void close() {
        looking.shutdownNow();
    }
}
