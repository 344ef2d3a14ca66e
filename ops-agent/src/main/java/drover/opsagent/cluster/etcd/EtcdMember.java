package drover.opsagent.cluster.etcd;

import drover.model.cluster.ClusterReport;
import java.net.URI;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/**
 * Member of a cluster ({@code /v3/cluster/member/list}).
 *
 * @param name as configured; the hexadecimal id if it is empty, not unique, or no valid name
 */
record EtcdMember(String id, String name, List<URI> clientUrls, boolean learner) {
    /** 64 voters, as in a report, and as many learners as upgrades of single members need. */
    private static final int MAX_MEMBERS = ClusterReport.MAX_VOTERS + 16;

    /** One for each of a few networks, all of which a probe requests in parallel. */
    private static final int MAX_URLS = 4;

    EtcdMember {
        clientUrls = List.copyOf(clientUrls);
    }

    /**
     * Reads the members.
     *
     * @param scheme of the endpoint that returned the list; other URLs are left out, because a list
     *     must not lead from TLS to plain HTTP
     * @throws EtcdRequestFailed if the list is too long: each of its URLs would be requested
     */
    static List<EtcdMember> listOf(JsonNode response, String scheme) {
        JsonNode members = response.path("members");
        requireAtMost(MAX_MEMBERS, members.size(), "members");
        Map<String, Integer> uses = new HashMap<>();
        members.forEach(each -> uses.merge(each.path("name").asString(""), 1, Integer::sum));
        List<EtcdMember> list = new ArrayList<>();
        for (JsonNode each : members) {
            String id = EtcdStatus.id(each, "ID");
            String name = each.path("name").asString("");
            boolean usable = ClusterReport.isName(name) && uses.getOrDefault(name, 0) == 1;
            list.add(
                    new EtcdMember(
                            id,
                            usable ? name : hex(id),
                            clientUrls(each, scheme),
                            each.path("isLearner").asBoolean(false)));
        }
        return list;
    }

    private static void requireAtMost(int limit, int count, String what) {
        if (count > limit) {
            throw new EtcdRequestFailed(
                    "etcd's member list has "
                            + count
                            + " "
                            + what
                            + ", and at most "
                            + limit
                            + " are supported; check the list with 'etcdctl member list'.",
                    null);
        }
    }

    private static List<URI> clientUrls(JsonNode member, String scheme) {
        requireAtMost(MAX_URLS, member.path("clientURLs").size(), "client URLs of one member");
        List<URI> urls = new ArrayList<>();
        for (JsonNode each : member.path("clientURLs")) {
            try {
                URI url = EtcdGateway.requireEndpoint(each.asString(""));
                if (scheme.equals(url.getScheme())) {
                    urls.add(url);
                }
            } catch (IllegalArgumentException _) {
                // a socket file or a malformed URL: the member is not reachable through it
            }
        }
        return urls;
    }

    /** An id as {@code etcdctl} shows it. */
    static String hex(String id) {
        return Long.toHexString(Long.parseUnsignedLong(id));
    }
}
