package drover.coordinator.api.export;

import drover.coordinator.api.PageSizeParser;
import drover.coordinator.peers.EventProtos;
import drover.coordinator.store.export.DeadLetterViews;
import drover.coordinator.store.export.DeadLetterViews.Position;
import drover.event.v1.DeadLetter;
import drover.event.v1.ListDeadLettersRequest;
import drover.event.v1.ListDeadLettersResponse;
import drover.kit.grpc.Refused;
import drover.model.RefusalCode;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Dead letters in the messages of the contract, by page. */
final class DeadLetterPageReader {
    private static final int DEFAULT_PAGE = 100;
    private static final int MAX_PAGE = 1_000;
    private static final Pattern TOKEN = Pattern.compile("([0-9]{1,18})/([a-z0-9-]{1,63})");

    private DeadLetterPageReader() {}

    static ListDeadLettersResponse listPage(
            DeadLetterViews letters, ListDeadLettersRequest request) {
        int size = PageSizeParser.parse("page_size", request.getPageSize(), DEFAULT_PAGE, MAX_PAGE);
        List<DeadLetterViews.DeadLetter> found =
                letters.list(request.getSink(), parsePosition(request.getPageToken()), size + 1);
        List<DeadLetterViews.DeadLetter> page = found.subList(0, Math.min(size, found.size()));
        ListDeadLettersResponse.Builder response = ListDeadLettersResponse.newBuilder();
        page.forEach(letter -> response.addDeadLetters(toDeadLetter(letter)));
        if (found.size() > size) {
            Position last = page.getLast().position();
            response.setNextPageToken(last.seq() + "/" + last.sink());
        }
        return response.build();
    }

    private static Position parsePosition(String token) {
        if (token.isEmpty()) {
            return Position.START;
        }
        Matcher parts = TOKEN.matcher(token);
        if (!parts.matches()) {
            throw invalidFieldRefusal(
                    "page_token", "page_token is not from an earlier response; omit it.");
        }
        return new Position(Long.parseLong(parts.group(1)), parts.group(2));
    }

    private static Refused invalidFieldRefusal(String field, String sentence) {
        return new Refused(RefusalCode.INVALID_FIELD, sentence, field);
    }

    private static DeadLetter toDeadLetter(DeadLetterViews.DeadLetter letter) {
        return DeadLetter.newBuilder()
                .setEventId(letter.eventId())
                .setSink(letter.sink())
                .setType(letter.type())
                .setSubject(letter.subject())
                .setProblem(letter.problem())
                .setAttempts(letter.attempts())
                .setRejectedAt(EventProtos.toTimestamp(letter.rejectedAt()))
                .setRetrying(letter.retrying())
                .build();
    }
}
