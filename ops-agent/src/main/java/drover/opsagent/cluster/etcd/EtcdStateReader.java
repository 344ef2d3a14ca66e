package drover.opsagent.cluster.etcd;

import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import tools.jackson.databind.JsonNode;

/** Reads the state of a cluster from one member and the client URLs of the others. */
final class EtcdStateReader {
    /** Two rounds of requests, one after another, leave 1 s of the 5 s of a probe. */
    private static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(2);

    private static final JsonNode EMPTY = EtcdGateway.JSON.createObjectNode();

    private final EtcdGateway gateway;
    private final URI endpoint;

    EtcdStateReader(EtcdGateway gateway, URI endpoint) {
        this.gateway = gateway;
        this.endpoint = endpoint;
    }

    /**
     * Reads the state.
     *
     * @throws EtcdRequestFailed if the member itself does not respond
     */
    EtcdClusterState read() throws InterruptedException {
        try (ExecutorService requests = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<EtcdStatus> own = requests.submit(() -> statusOf(endpoint));
            Future<List<EtcdMember>> members = requests.submit(this::readMembers);
            Future<String> version = requests.submit(this::readClusterVersion);
            EtcdStatus ownStatus = await(own);
            return new EtcdClusterState(
                    ownStatus,
                    await(members),
                    statuses(requests, ownStatus, await(members)),
                    await(version));
        }
    }

    EtcdStatus readOwnStatus() throws InterruptedException {
        return statusOf(endpoint);
    }

    List<EtcdMember> readMembers() throws InterruptedException {
        return EtcdMember.listOf(
                gateway.post(endpoint, "/v3/cluster/member/list", EMPTY, REQUEST_TIMEOUT),
                endpoint.getScheme());
    }

    private String readClusterVersion() throws InterruptedException {
        return gateway.get(endpoint, "/version", REQUEST_TIMEOUT).path("etcdcluster").asString("");
    }

    private EtcdStatus statusOf(URI member) throws InterruptedException {
        return EtcdStatus.of(
                gateway.post(member, "/v3/maintenance/status", EMPTY, REQUEST_TIMEOUT));
    }

    /** A URL may lead to another member, such as one with 127.0.0.1: the id decides. */
    private Map<String, EtcdStatus> statuses(
            ExecutorService requests, EtcdStatus own, List<EtcdMember> members)
            throws InterruptedException {
        List<Future<EtcdStatus>> pending = new ArrayList<>();
        for (EtcdMember member : members) {
            if (!member.id().equals(own.memberId())) {
                member.clientUrls()
                        .forEach(url -> pending.add(requests.submit(requestOf(member, url))));
            }
        }
        Map<String, EtcdStatus> statuses = new HashMap<>(Map.of(own.memberId(), own));
        for (Future<EtcdStatus> each : pending) {
            try {
                EtcdStatus status = await(each);
                statuses.putIfAbsent(status.memberId(), status);
            } catch (EtcdRequestFailed _) {
                // the member has no status, so it does not count as healthy
            }
        }
        return statuses;
    }

    private Callable<EtcdStatus> requestOf(EtcdMember member, URI url) {
        return () -> {
            EtcdStatus status = statusOf(url);
            if (status.memberId().equals(member.id())) {
                return status;
            }
            throw new EtcdRequestFailed(
                    url + " is another member than " + member.name() + ".", null);
        };
    }

    private static <T> T await(Future<T> future) throws InterruptedException {
        try {
            return future.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof EtcdRequestFailed failed) {
                throw failed;
            }
            throw new EtcdRequestFailed("etcd cannot be queried: " + e.getCause() + ".", e);
        }
    }
}
