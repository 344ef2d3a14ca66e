package drover.coordinator.peers;

import drover.coordinator.peers.PeerUnavailable.Peer;
import drover.kit.grpc.Refused;
import drover.model.ChainProfileId;
import drover.model.Digest;
import drover.model.RefusalCode;
import drover.model.program.BinaryName;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionService;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Several manifest-services that shall hold the same. One of them is enough; but what goes into a
 * rollout is asked of all that answer, and refused as {@code MANIFESTS_DIFFER} where they differ:
 * otherwise it would depend on chance what is rolled out (invariant A19).
 */
public final class ComparingManifestServiceLink implements ManifestServiceLink {
    private static final Logger LOG = LoggerFactory.getLogger(ComparingManifestServiceLink.class);
    private static final int OTHERS_SECONDS = 2; // once one has answered

    private final Map<String, ManifestServiceLink> services;

    private ComparingManifestServiceLink(Map<String, ManifestServiceLink> services) {
        this.services = services;
    }

    /** A link to these, by the names that a person is told; the only one is just itself. */
    public static ManifestServiceLink of(Map<String, ManifestServiceLink> services) {
        return services.size() == 1
                ? services.values().iterator().next()
                : new ComparingManifestServiceLink(new LinkedHashMap<>(services));
    }

    /**
     * What one service answered.
     *
     * @param fingerprint equal where services hold the same; for people, too
     * @param value null where the service refused
     * @param refusal null where it did not
     */
    private record ServiceResponse<T>(
            String service, String fingerprint, @Nullable T value, @Nullable Refused refusal) {}

    @Override
    public Manifest fetchManifest(ChainProfileId chain, String upgradeId) {
        return requireSame(
                "upgrade " + upgradeId + " of chain " + chain,
                link -> link.fetchManifest(chain, upgradeId),
                Manifest::contentHash);
    }

    @Override
    public Profile fetchProfile(ChainProfileId chain) {
        return requireSame(
                "the profile of chain " + chain,
                link -> link.fetchProfile(chain),
                profile -> Digest.of(profile.toString()).value());
    }

    /**
     * The first node is rendered by all, so that a template that differs is seen; all of them by
     * one that was compared, and by no other.
     */
    @Override
    public RenderedConfigs render(
            ChainProfileId chain,
            BinaryName binary,
            String targetVersion,
            List<ConfigTemplateChange> changes,
            List<RenderTarget> nodes) {
        ServiceResponse<RenderedConfigs> compared =
                requestAgreed(
                        "the configuration of program " + binary + " of chain " + chain,
                        link ->
                                link.render(
                                        chain,
                                        binary,
                                        targetVersion,
                                        changes,
                                        nodes.subList(0, Math.min(1, nodes.size()))),
                        ComparingManifestServiceLink::fingerprint);
        return linkTo(compared.service()).render(chain, binary, targetVersion, changes, nodes);
    }

    private static String fingerprint(RenderedConfigs rendered) {
        return Digest.of(
                        rendered.nodes().stream()
                                .map(node -> node.launch() + " " + node.files())
                                .collect(Collectors.joining("\n")))
                .value();
    }

    @Override
    public List<Warning> fetchWarnings(ChainProfileId chain, String upgradeId) {
        return requireSame(
                "remarks on upgrade " + upgradeId,
                link -> link.fetchWarnings(chain, upgradeId),
                _ -> "");
    }

    private ManifestServiceLink linkTo(String service) {
        return Objects.requireNonNull(services.get(service), service);
    }

    private <T> T requireSame(
            String what, Function<ManifestServiceLink, T> question, Function<T, String> mark) {
        return Objects.requireNonNull(requestAgreed(what, question, mark).value());
    }

    /** What one of them says, and all others that answer in time say too. */
    private <T> ServiceResponse<T> requestAgreed(
            String what, Function<ManifestServiceLink, T> question, Function<T, String> mark) {
        List<ServiceResponse<T>> received = requestAll(question, mark);
        if (new HashSet<>(received.stream().map(ServiceResponse::fingerprint).toList()).size()
                > 1) {
            throw differRefusal(what, received);
        }
        ServiceResponse<T> one = received.getFirst();
        Refused refusal = one.refusal();
        if (refusal != null) {
            throw refusal;
        }
        return one;
    }

    private static <T> Refused differRefusal(String what, List<ServiceResponse<T>> received) {
        String holdings =
                received.stream()
                        .map(each -> each.service() + " has " + each.fingerprint())
                        .sorted()
                        .collect(Collectors.joining(", "));
        LOG.warn("Manifest-services hold different content content={} {}", what, holdings);
        return new Refused(
                RefusalCode.MANIFESTS_DIFFER,
                "The manifest-services do not hold the same of "
                        + what
                        + ": "
                        + holdings
                        + ". Bring the same files to all of them, and ask again.");
    }

    /**
     * What those say that answer; the first one is waited for as long as it takes, the others a
     * moment longer, so that one that hangs does not hold up a rollout.
     */
    private <T> List<ServiceResponse<T>> requestAll(
            Function<ManifestServiceLink, T> question, Function<T, String> mark) {
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
        try {
            CompletionService<ServiceResponse<T>> answers =
                    new ExecutorCompletionService<>(threads);
            for (Map.Entry<String, ManifestServiceLink> each : services.entrySet()) {
                var _ =
                        answers.submit(
                                requestFrom(
                                        each.getKey(),
                                        () -> question.apply(each.getValue()),
                                        mark));
            }
            return collect(answers);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new PeerUnavailable(Peer.MANIFESTS, "The question was broken off", e);
        } finally {
            var _ = threads.shutdownNow();
        }
    }

    private <T> List<ServiceResponse<T>> collect(CompletionService<ServiceResponse<T>> answers)
            throws InterruptedException {
        List<ServiceResponse<T>> received = new ArrayList<>();
        Throwable why = new IllegalStateException("none");
        for (int i = 0; i < services.size(); i++) {
            Future<ServiceResponse<T>> next =
                    received.isEmpty()
                            ? answers.take()
                            : answers.poll(OTHERS_SECONDS, TimeUnit.SECONDS);
            if (next == null) {
                break;
            }
            try {
                received.add(next.get());
            } catch (ExecutionException e) {
                LOG.warn("A manifest-service did not answer reason={}", e.getMessage());
                why = e;
            }
        }
        if (received.isEmpty()) {
            throw new PeerUnavailable(Peer.MANIFESTS, "No manifest-service answered", why);
        }
        return received;
    }

    private static <T> Callable<ServiceResponse<T>> requestFrom(
            String service, Callable<T> question, Function<T, String> mark) {
        return () -> {
            try {
                T value = question.call();
                return new ServiceResponse<>(service, mark.apply(value), value, null);
            } catch (Refused refused) {
                return new ServiceResponse<>(service, refused.code().name(), null, refused);
            }
        };
    }
}
