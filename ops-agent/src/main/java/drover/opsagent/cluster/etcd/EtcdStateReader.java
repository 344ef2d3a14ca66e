package drover.opsagent.cluster.etcd;

import drover.model.cluster.PrintableLine;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
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

    private static final String HEALTH = "/health?exclude=NOSPACE&exclude=CORRUPT";
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
            Future<Boolean> contact = requests.submit(() -> isInContact(endpoint));
            EtcdStatus ownStatus = await(own);
            Map<String, EtcdStatus> statuses = new HashMap<>();
            Set<String> inContact = new HashSet<>();
            for (MemberView each : viewOthers(requests, ownStatus, await(members))) {
                statuses.putIfAbsent(each.status().memberId(), each.status());
                if (each.inContact()) {
                    inContact.add(each.status().memberId());
                }
            }
            statuses.put(ownStatus.memberId(), ownStatus);
            if (await(contact)) {
                inContact.add(ownStatus.memberId());
            }
            return new EtcdClusterState(
                    ownStatus, await(members), statuses, inContact, await(version));
        }
    }

    /** Responses at one client URL of another member. */
    private record MemberView(EtcdStatus status, boolean inContact) {}

    EtcdStatus readOwnStatus() throws InterruptedException {
        return statusOf(endpoint);
    }

    List<EtcdMember> readMembers() throws InterruptedException {
        return EtcdMember.listOf(
                gateway.post(endpoint, "/v3/cluster/member/list", EMPTY, REQUEST_TIMEOUT),
                endpoint.getScheme());
    }

    /** For each other member the first URL that leads to it; if none does, its first URL. */
    List<URI> findOtherEndpoints() throws InterruptedException {
        try (ExecutorService requests = Executors.newVirtualThreadPerTaskExecutor()) {
            String own = readOwnStatus().memberId();
            List<Future<URI>> pending =
                    readMembers().stream()
                            .filter(each -> !each.id().equals(own))
                            .filter(each -> !each.clientUrls().isEmpty())
                            .map(each -> requests.submit(() -> findEndpoint(each)))
                            .toList();
            List<URI> endpoints = new ArrayList<>();
            for (Future<URI> each : pending) {
                endpoints.add(await(each));
            }
            return endpoints;
        }
    }

    private URI findEndpoint(EtcdMember member) throws InterruptedException {
        List<URI> urls = member.clientUrls();
        for (URI url : urls.size() > 1 ? urls : List.<URI>of()) {
            try {
                if (statusOf(url).memberId().equals(member.id())) {
                    return url;
                }
            } catch (EtcdRequestFailed _) {
                // another URL may lead to the member
            }
        }
        return urls.getFirst();
    }

    private String readClusterVersion() throws InterruptedException {
        try {
            JsonNode version = gateway.get(endpoint, "/version", REQUEST_TIMEOUT);
            return version.path("etcdcluster").asString("");
        } catch (EtcdRequestFailed _) {
            return ""; // no decision uses it
        }
    }

    private EtcdStatus statusOf(URI member) throws InterruptedException {
        return EtcdStatus.of(
                gateway.post(member, "/v3/maintenance/status", EMPTY, REQUEST_TIMEOUT));
    }

    /**
     * Whether the member completes a linearizable read, which needs the majority of the voters.
     * etcd reads for each request to {@code /health}, without authentication. Alarms are excluded:
     * {@code /health} fails at each member for an alarm of any one, and the status names it.
     */
    private boolean isInContact(URI member) throws InterruptedException {
        try {
            JsonNode health = gateway.get(member, HEALTH, REQUEST_TIMEOUT).path("health");
            return health.asString("").equals("true");
        } catch (EtcdRequestFailed _) {
            return false; // with status 503 etcd reports that the read failed
        }
    }

    private List<MemberView> viewOthers(
            ExecutorService requests, EtcdStatus own, List<EtcdMember> members)
            throws InterruptedException {
        List<Future<MemberView>> pending = new ArrayList<>();
        for (EtcdMember member : members) {
            if (!member.id().equals(own.memberId())) {
                member.clientUrls()
                        .forEach(
                                url -> pending.add(requests.submit(viewOf(requests, member, url))));
            }
        }
        List<MemberView> views = new ArrayList<>();
        for (Future<MemberView> each : pending) {
            try {
                views.add(await(each));
            } catch (EtcdRequestFailed _) {
                // the member has no status, so it does not count as healthy
            }
        }
        return views;
    }

    /** A URL may lead to another member, such as one with 127.0.0.1: the id decides. */
    private Callable<MemberView> viewOf(ExecutorService requests, EtcdMember member, URI url) {
        return () -> {
            Future<Boolean> contact = requests.submit(() -> isInContact(url));
            EtcdStatus status = statusOf(url);
            if (status.memberId().equals(member.id())) {
                return new MemberView(status, await(contact));
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
            String why = PrintableLine.of(String.valueOf(e.getCause()));
            throw new EtcdRequestFailed("etcd cannot be queried: " + why + ".", e);
        }
    }
}
