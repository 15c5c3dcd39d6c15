/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* host/profile: files that are cut, changed, put together wrongly, or no profiles. */
#include "tests/profile_bench.h"
#include "tests/suite.h"

/* A profile, its capture, and where the frames of that lie. */
struct whole {
	struct profile p;
	struct bytes b;
	size_t from[FRAMES_MAX], to[FRAMES_MAX], frames;
};

static void whole_make(struct whole *w)
{
	make(&w->p, 120);
	w->b = capture(&w->p);
	w->frames = frames_of(&w->b, w->from, w->to, FRAMES_MAX);
}

static void whole_free(struct whole *w)
{
	free(w->b.data);
	profile_fini(&w->p);
}

/* Whether q holds nothing that p does not: never a wrong count. */
static void check_subset(const struct profile *q, const struct profile *p)
{
	for (size_t i = 0; i < q->used; i++) {
		const struct record *x = &q->entries[i];
		const struct record *y = profile_find(p, x->start, x->hist, record_partial(x));
		ck_assert_ptr_nonnull(y);
		ck_assert_uint_eq(x->count, y->count);
	}
}

START_TEST(cut_everywhere)
{
	struct profile q;
	struct whole w;
	whole_make(&w);
	ck_assert_uint_ge(w.frames, 5);
	for (size_t cut = 0; cut < w.b.size; cut++) {
		struct profile_reader *reader = read_bytes(&q, w.b.data, cut, 64, NULL);
		size_t whole = 0;
		while (whole < w.frames && w.to[whole] <= cut)
			whole++;
		/* the closing zero alone may be missing: the frame is used, and the cut is told */
		ck_assert_uint_ge(reader->frames, whole);
		ck_assert_uint_le(reader->frames, whole + 1);
		if (cut < w.to[w.frames - 1])
			ck_assert_uint_gt(reader->damage_count, 0);
		else
			ck_assert_uint_eq(reader->damage_count, 0);
		if (whole < w.frames && cut > w.from[whole] + 2)
			ck_assert(has_damage(reader, DAMAGE_CUT));
		check_subset(&q, &w.p);
		done(reader, &q);
	}
	whole_free(&w);
}
END_TEST

/* Every byte replaced by several others. All frames that the byte does not touch are kept. */
START_TEST(flip_everywhere)
{
	static const uint8_t flips[] = {0x01, 0x80, 0xFF, 0x20, 0x55};
	struct profile q;
	struct whole w;
	whole_make(&w);
	for (size_t at = 0; at < w.b.size; at++) {
		for (size_t f = 0; f <= sizeof flips; f++) {
			uint8_t old = w.b.data[at], new = f < sizeof flips ? old ^ flips[f] : 0;
			if (new == old)
				continue;
			bool in_frame = false;
			for (size_t i = 0; i < w.frames; i++)
				in_frame |= at >= w.from[i] && at < w.to[i];
			w.b.data[at] = new;
			struct profile_reader *reader = read_bytes(&q, w.b.data, w.b.size, 4096, NULL);
			w.b.data[at] = old;
			if (in_frame) {
				ck_assert_uint_eq(reader->frames, w.frames - 1);
				ck_assert_uint_gt(reader->damaged, 0);
				/* and the place is told */
				bool near = false;
				for (uint64_t d = 0; d < reader->damage_count; d++) {
					const struct damage *damage = &reader->damage[d];
					near |= damage->kind <= DAMAGE_TYPE && damage->offset <= at + 1 &&
						damage->offset + damage->size + 1 >= at;
				}
				ck_assert(near);
			} else
				ck_assert_uint_eq(reader->frames, w.frames);
			check_subset(&q, &w.p);
			done(reader, &q);
		}
	}
	whole_free(&w);
}
END_TEST

/* A byte missing, a byte too many: every position. */
START_TEST(slip_everywhere)
{
	struct profile q;
	struct whole w;
	whole_make(&w);
	uint8_t *slipped = malloc(w.b.size + 1);
	ck_assert_ptr_nonnull(slipped);
	for (size_t at = 0; at < w.b.size; at++) {
		memcpy(slipped, w.b.data, at);
		memcpy(slipped + at, w.b.data + at + 1, w.b.size - at - 1);
		struct profile_reader *reader = read_bytes(&q, slipped, w.b.size - 1, 4096, NULL);
		ck_assert_uint_ge(reader->frames, w.frames - 1); /* two w.frames share the zero that is left */
		check_subset(&q, &w.p);
		done(reader, &q);
		memcpy(slipped + at, "\x03", 1);
		memcpy(slipped + at + 1, w.b.data + at, w.b.size - at);
		reader = read_bytes(&q, slipped, w.b.size + 1, 4096, NULL);
		ck_assert_uint_ge(reader->frames, w.frames - 1);
		check_subset(&q, &w.p);
		done(reader, &q);
	}
	free(slipped);
	whole_free(&w);
}
END_TEST

/* Whole frames lost, doubled, swapped. */
START_TEST(frames_rearranged)
{
	struct profile q;
	struct whole w;
	whole_make(&w);
	for (size_t lost = 0; lost < w.frames; lost++) {
		struct bytes c = {0};
		for (size_t i = 0; i < w.frames; i++) {
			if (i != lost)
				put(&c, w.b.data + w.from[i], w.to[i] - w.from[i]);
		}
		struct profile_reader *reader = read_bytes(&q, c.data, c.size, 4096, NULL);
		ck_assert_uint_eq(reader->frames, w.frames - 1);
		ck_assert_uint_gt(reader->damage_count, 0);
		ck_assert(has_damage(reader, DAMAGE_NO_HEADER) == (lost == 0));
		ck_assert(has_damage(reader, DAMAGE_NO_END) == (lost == w.frames - 1));
		if (lost < w.frames - 1)
			ck_assert(has_damage(reader, DAMAGE_HOLE));
		check_subset(&q, &w.p);
		done(reader, &q);
		free(c.data);
	}
	for (size_t twice = 1; twice + 1 < w.frames; twice++) {
		struct bytes c = {0};
		for (size_t i = 0; i < w.frames; i++) {
			put(&c, w.b.data + w.from[i], w.to[i] - w.from[i]);
			if (i == w.frames - 2)
				put(&c, w.b.data + w.from[twice], w.to[twice] - w.from[twice]);
		}
		struct profile_reader *reader = read_bytes(&q, c.data, c.size, 4096, NULL);
		ck_assert(has_damage(reader, DAMAGE_REPEATED));
		ck_assert_uint_eq(q.total, w.p.total);
		done(reader, &q);
		free(c.data);
	}
	struct bytes c = {0};
	put(&c, w.b.data + w.from[0], w.to[0] - w.from[0]);
	put(&c, w.b.data + w.from[2], w.to[2] - w.from[2]);
	put(&c, w.b.data + w.from[1], w.to[1] - w.from[1]);
	for (size_t i = 3; i < w.frames; i++)
		put(&c, w.b.data + w.from[i], w.to[i] - w.from[i]);
	struct profile_reader *reader = read_bytes(&q, c.data, c.size, 4096, NULL);
	ck_assert(has_damage(reader, DAMAGE_HOLE));
	ck_assert_uint_eq(q.total, w.p.total);
	done(reader, &q);
	/* two captures in one file: the first is used, the second named by its offset */
	struct bytes again = capture(&w.p);
	put(&w.b, again.data, again.size);
	free(again.data);
	reader = read_bytes(&q, w.b.data, w.b.size, 4096, NULL);
	ck_assert(has_damage(reader, DAMAGE_REPEATED) || has_damage(reader, DAMAGE_SECOND));
	ck_assert_uint_eq(q.total, w.p.total);
	done(reader, &q);
	free(c.data);
	whole_free(&w);
}
END_TEST

static void put_frame(struct bytes *b, uint8_t type, uint8_t sequence, const void *payload, size_t size)
{
	struct frame frame;
	uint8_t coded[FRAME_CODED_MAX];
	frame_begin(&frame, type, sequence);
	for (size_t i = 0; i < size; i++)
		frame_byte(&frame, ((const uint8_t *)payload)[i]);
	put(b, coded, frame_end(&frame, coded));
}

/* Frames with a right checksum and a wrong content. */
START_TEST(wrong_payloads)
{
	static const struct {
		uint8_t type;
		const char *payload;
		size_t size;
		enum damage_kind kind;
	} cases[] = {
	    {FRAME_HEADER, "\x02", 1, DAMAGE_TYPE},            /* version 2 */
	    {FRAME_HEADER, "\x01\x00\x20", 3, DAMAGE_PAYLOAD}, /* ends early */
	    {FRAME_HEADER,
		"\x01\x00\x20\x20\x01\x00\x01\x00\x01\x02\x03\x04\x05"
		"ab",
		15, DAMAGE_PAYLOAD}, /* name longer than the frame */
	    {FRAME_HEADER, "\x01\x00\x20\x07\x01\x00\x01\x00\x01\x02\x03\x04\x00", 13, DAMAGE_PAYLOAD}, /* H = 7 */
	    {FRAME_HEADER, "\x01\x00\x21\x20\x01\x00\x01\x00\x01\x02\x03\x04\x00", 13, DAMAGE_PAYLOAD}, /* XLEN = 33 */
	    {FRAME_ENTRIES, "\x20\x00\x01\x01", 4, DAMAGE_PAYLOAD},     /* unknown flag */
	    {FRAME_ENTRIES, "\x11\x00\x01\x01", 4, DAMAGE_PAYLOAD},     /* reason 9: there is none */
	    {FRAME_ENTRIES, "\x01\x00\x00\x01", 4, DAMAGE_PAYLOAD},     /* history 0 */
	    {FRAME_ENTRIES, "\x01\x00\x01", 3, DAMAGE_PAYLOAD},         /* ends early */
	    {FRAME_ENTRIES, "\x09\x00\x01\x01\x01", 5, DAMAGE_PAYLOAD}, /* no instruction count */
	    {FRAME_ENTRIES, "\x01\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01\x01", 13,
		DAMAGE_PAYLOAD},                                                         /* number too long */
	    {FRAME_ENTRIES, "\x01\x80\x80\x80\x80\x80\x01\x01\x01", 9, DAMAGE_PAYLOAD},  /* start outside 32 bits */
	    {FRAME_END, "\x00\x00\x00\x00\x00\x00\x00", 7, DAMAGE_PAYLOAD},              /* a number too few */
	    {FRAME_END, "\x00\x00\x00\x00\x00\x00\x00\x00\x04", 9, DAMAGE_PAYLOAD},      /* an ending that is none */
	    {FRAME_END, "\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00", 10, DAMAGE_PAYLOAD}, /* one too many */
	    {9, "", 0, DAMAGE_TYPE},
	    {0xFF, "abc", 3, DAMAGE_TYPE},
	};
	struct profile q;
	struct bytes b = {0};
	put_frame(&b, cases[_i].type, cases[_i].type == FRAME_HEADER ? 0 : 1, cases[_i].payload, cases[_i].size);
	put_frame(&b, FRAME_ENTRIES, 2, "\x01\x00\x01\x05", 4); /* good */
	struct profile_reader *reader = read_bytes(&q, b.data, b.size, 1, NULL);
	ck_assert(has_damage(reader, cases[_i].kind));
	ck_assert_uint_eq(reader->damaged, 1);
	ck_assert_uint_eq(q.total, 5);
	char text[256];
	for (uint64_t i = 0; i < reader->damage_count; i++)
		ck_assert_int_gt(damage_describe(&reader->damage[i], text, sizeof text), 10);
	free(reader);
	free(b.data);
	profile_fini(&q);
}
END_TEST

START_TEST(no_profile)
{
	struct profile q;
	struct profile_reader *reader = read_bytes(&q, "", 0, 1, NULL);
	ck_assert(has_damage(reader, DAMAGE_NO_FRAMES));
	done(reader, &q);
	reader = read_bytes(&q, "hello, world\n", 13, 1, NULL);
	ck_assert(has_damage(reader, DAMAGE_NO_FRAMES));
	ck_assert_uint_eq(reader->text_bytes, 13);
	done(reader, &q);
	/* noise */
	uint8_t noise[20000];
	uint32_t x = 1;
	for (size_t i = 0; i < sizeof noise; i++) {
		x = x * 1664525 + 1013904223;
		noise[i] = (uint8_t)(x >> 24);
	}
	reader = read_bytes(&q, noise, sizeof noise, 1000, NULL);
	ck_assert(has_damage(reader, DAMAGE_NO_FRAMES));
	ck_assert_uint_eq(q.total, 0);
	ck_assert_uint_gt(reader->damaged, 10);
	done(reader, &q);
}
END_TEST

/* Text longer than any frame, in front of, between and behind frames, stays text, with characters across the pieces. */
START_TEST(long_text)
{
	struct profile p, q;
	struct bytes b = {0}, text = {0}, expected = {0};
	make(&p, 3);
	for (int i = 0; i < 400; i++)
		put_text(&b, "\xE2\x82\xAC.");
	put(&expected, b.data, b.size);
	ck_assert_int_eq(profile_write(&p, put, &b), PROFILE_OK);
	for (int i = 0; i < 400; i++) {
		put_text(&b, "\xC3\xA4\xC3\xB6,");
		put_text(&expected, "\xC3\xA4\xC3\xB6,");
	}
	struct profile_reader *reader = read_bytes(&q, b.data, b.size, 100, &text);
	ck_assert_uint_eq(reader->damage_count, 0);
	ck_assert_uint_eq(text.size, expected.size);
	ck_assert_mem_eq(text.data, expected.data, text.size);
	free(reader);
	free(b.data);
	free(text.data);
	free(expected.data);
	profile_fini(&p);
	profile_fini(&q);
}
END_TEST

/* Behind the mark a whole profile is text, in every piece size; without the mark it is one. The zero bytes of it are
 * sent as the kernel sends them, or are those of frames around it. */
START_TEST(marked_text)
{
	struct profile p, q;
	make(&p, 120);
	struct bytes b = capture(&p), s = {0}, text = {0};
	size_t from[FRAMES_MAX], to[FRAMES_MAX], frames = frames_of(&b, from, to, FRAMES_MAX), at = 0;
	for (size_t i = 0; i < frames; i++) {
		put(&s, "\0\xFF\xFF", 3);
		put(&s, b.data + from[i] + 1, to[i] - from[i] - 2);
	}
	put(&s, "\0", 1);
	struct profile_range range;
	ck_assert_int_eq(profile_next(s.data, s.size, &at, &range), 0);
	for (size_t step = 1; step < 300; step += 13) {
		struct profile_reader *reader = read_bytes(&q, s.data, s.size, step, NULL);
		ck_assert_uint_eq(reader->frames, 0);
		ck_assert_uint_eq(reader->damaged, 0);
		ck_assert_uint_eq(q.used, 0);
		done(reader, &q);
	}
	/* A mark in the first byte of a frame is damage, as any other byte there. */
	ck_assert_uint_eq(b.data[from[1]], 0);
	b.data[from[1] + 1] = 0xFF;
	struct profile_reader *reader = read_bytes(&q, b.data, b.size, 64, NULL);
	ck_assert_uint_eq(reader->frames, frames - 1);
	ck_assert_uint_eq(reader->damaged, 1);
	done(reader, &q);
	/* What stands in front of the first zero byte is no frame. */
	s.size = 0;
	put(&s, b.data + from[0] + 1, to[0] - from[0] - 1);
	reader = read_bytes(&q, s.data, s.size, 64, NULL);
	ck_assert_uint_eq(reader->frames, 0);
	done(reader, &q);
	/* Text behind the mark is handed out without it, and cannot steer a terminal. */
	s.size = 0;
	put(&s, "\0\xFF\xFFhello\x01\x7F\n", 11);
	put(&s, "\0", 1);
	reader = read_bytes(&q, s.data, s.size, 3, &text);
	ck_assert_uint_eq(reader->damaged, 0);
	ck_assert_uint_eq(text.size, 8);
	ck_assert_mem_eq(text.data, "hello??\n", 8);
	done(reader, &q);
	free(text.data);
	free(s.data);
	free(b.data);
	profile_fini(&p);
}
END_TEST

int main(void)
{
	const struct suite_case cases[] = {
	    {"stream", cut_everywhere, 0},
	    {"stream", flip_everywhere, 0},
	    {"stream", slip_everywhere, 0},
	    {"stream", marked_text, 0},
	    {"stream", frames_rearranged, 0},
	    {"stream", wrong_payloads, 16},
	    {"stream", no_profile, 0},
	    {"stream", long_text, 0},
	};
	return SUITE_RUN("profile damage", cases, NULL, NULL);
}
