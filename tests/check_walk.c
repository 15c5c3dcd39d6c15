/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "tests/suite.h"
#include "tests/walk_bench.h"

/* Each conditional branch, both outcomes, 32 and 16 bits. */
START_TEST(branches)
{
	static const unsigned kinds[8] = {0, 1, 4, 5, 6, 7, 106, 107};
	unsigned kind = kinds[_i];
	nop(&code); /* 0 */
	if (kind < 100)
		branch(&code, kind, BASE + 12); /* 4 */
	else {
		c_branch(&code, kind - 100, BASE + 12);
		c_nop(&code); /* 6 */
	}
	nop(&code);          /* 8 */
	c_nop(&code);        /* 12 */
	jal(&code, 0, BASE); /* 14: backward */
	ready(32, 0);
	ck_assert_int_eq(run(BASE, 3, TRACE_BACKWARD, 0), WALK_OK);
	EXPECT(0, 4, 12, 14);
	ck_assert_int_eq(run(BASE, 2, TRACE_BACKWARD, 0), WALK_OK);
	if (kind < 100)
		EXPECT(0, 4, 8, 12, 14);
	else
		EXPECT(0, 4, 6, 8, 12, 14);
	ck_assert_int_eq(run(BASE, 2, 0, 0), WALK_OK); /* a unit without reasons */
	ck_assert_int_eq(run(BASE, 2, TRACE_INDIRECT, 0), WALK_EREASON);
	ck_assert_int_eq(run(BASE, 2, TRACE_FULL, 0), WALK_EREASON);
	ck_assert_uint_eq(at, BASE + 14);
	ck_assert_int_eq(run(BASE, 1, TRACE_BACKWARD, 0), WALK_EHISTORY); /* used up at the branch */
	ck_assert_uint_eq(at, BASE + 4);
	ck_assert_int_eq(run(BASE, 5, TRACE_BACKWARD, 0), WALK_EHISTORY); /* not used up at the end */
	ck_assert_uint_eq(at, BASE + 14);
	ck_assert_int_eq(run(BASE, 3, TRACE_BACKWARD, 4), WALK_OK);
	ck_assert_int_eq(run(BASE, 3, TRACE_BACKWARD, 5), WALK_EINSNS);
	ck_assert_int_eq(run(BASE, 3, TRACE_BACKWARD, 65535), WALK_EINSNS); /* that many or more: there are 4 */
}
END_TEST

/* Taken backward branches end a trace; so does one to itself. */
START_TEST(backward_ends)
{
	nop(&code);                 /* 0 */
	branch(&code, 1, BASE + 4); /* 4: to itself */
	c_branch(&code, 7, BASE);   /* 8 */
	nop(&code);                 /* 10 */
	jal(&code, 0, BASE + 14);   /* 14: to itself */
	ready(8, 0);
	ck_assert_int_eq(run(BASE, 3, TRACE_BACKWARD, 2), WALK_OK);
	EXPECT(0, 4);
	ck_assert_int_eq(run(BASE, 5, TRACE_BACKWARD, 3), WALK_OK);
	EXPECT(0, 4, 8);
	ck_assert_int_eq(run(BASE, 4, TRACE_BACKWARD, 5), WALK_OK);
	EXPECT(0, 4, 8, 10, 14);
	/* the same with NO_BACKWARD: the first goes round until the history is full */
	ready(8, NO_BACKWARD);
	ck_assert_int_eq(run(BASE, 0xFF, TRACE_FULL, 8), WALK_OK);
	EXPECT(0, 4, 4, 4, 4, 4, 4, 4);
	/* 1 0110100: 4 taken no, 8 taken yes, ... */
	ck_assert_int_eq(run(BASE, 0x80 | 0x36, TRACE_FULL, 0), WALK_OK);
	EXPECT(0, 4, 8, 10 - 10, 4, 4, 8, 0, 4, 4);
	/* jump to itself for ever */
	ck_assert_int_eq(run(BASE + 10, 1, TRACE_FULL, 0), WALK_EENDLESS);
	ck_assert_int_eq(run(BASE + 10, 1, TRACE_OFF, 6), WALK_OK);
	EXPECT(10, 14, 14, 14, 14, 14);
	ck_assert_int_eq(run(BASE + 10, 1, TRACE_OFF, 65535), WALK_UNKNOWN_END);
	ck_assert_uint_eq(count, 65535);
}
END_TEST

/* A branch to the next instruction: its outcome is always 0. */
START_TEST(branch_to_next)
{
	branch(&code, 0, BASE + 4);   /* 0 */
	c_branch(&code, 6, BASE + 6); /* 4 */
	jal(&code, 0, BASE);          /* 6 */
	ready(32, 0);
	ck_assert_int_eq(run(BASE, 4, TRACE_BACKWARD, 3), WALK_OK);
	EXPECT(0, 4, 6);
	ck_assert_int_eq(run(BASE, 6, TRACE_BACKWARD, 3), WALK_EHISTORY);
	ck_assert_uint_eq(at, BASE);
	ck_assert_int_eq(run(BASE, 5, TRACE_BACKWARD, 3), WALK_EHISTORY);
	ck_assert_uint_eq(at, BASE + 4);
}
END_TEST

/* FULL, and that BACKWARD comes first where both apply. */
START_TEST(full)
{
	for (int i = 0; i < 6; i++)
		c_branch(&code, 6, BASE + 32); /* 0 2 .. 10 */
	branch(&code, 5, BASE);                /* 12 */
	while (code.at < 40)
		c_nop(&code);
	jal(&code, 0, BASE);
	ready(8, 0);
	ck_assert_int_eq(run(BASE, 0x80, TRACE_FULL, 7), WALK_OK);
	EXPECT(0, 2, 4, 6, 8, 10, 12);
	ck_assert_int_eq(run(BASE, 0x81, TRACE_BACKWARD, 7), WALK_OK);
	EXPECT(0, 2, 4, 6, 8, 10, 12);
	ck_assert_int_eq(run(BASE, 0x81, TRACE_FULL, 7), WALK_EREASON);
	ck_assert_int_eq(run(BASE, 0x80, TRACE_OFF, 7), WALK_EREASON);
	ck_assert_int_eq(run(BASE, 0x40, TRACE_FULL, 0), WALK_EHISTORY);  /* not full: used up at 12 */
	ck_assert_int_eq(run(BASE, 0x100, TRACE_FULL, 0), WALK_EHISTORY); /* wider than the register */
	ck_assert_int_eq(run(BASE, 0, TRACE_FULL, 0), WALK_EHISTORY);
	/* a wider register goes on */
	ready(64, 0);
	ck_assert_int_eq(run(BASE, 0x81, TRACE_BACKWARD, 7), WALK_OK);
	ck_assert_int_eq(run(BASE, UINT64_C(1) << 63, TRACE_FULL, 0), WALK_EREASON);
}
END_TEST

/* Every indirect jump ends a trace; C.JR and C.JALR with x0 are none. */
START_TEST(indirect)
{
	nop(&code); /* 0 */
	switch (_i) {
	case 0:
		jalr(&code, 0, 15, 8);
		break;
	case 1:
		jalr(&code, 1, 15, 0);
		break;
	case 2:
		jalr(&code, 0, 1, 0);
		break;
	case 3:
		c_jr(&code, 15);
		break;
	case 4:
		c_jr(&code, 1);
		break;
	case 5:
		c_jalr(&code, 15);
		break;
	}
	nop(&code);
	ready(32, 0);
	ck_assert_int_eq(run(BASE, 1, TRACE_INDIRECT, 2), WALK_OK);
	EXPECT(0, 4);
	ck_assert_int_eq(run(BASE, 1, TRACE_BACKWARD, 2), WALK_EREASON);
	ready(32, NO_INDIRECT);
	ck_assert_int_eq(run(BASE, 1, TRACE_FULL, 0), WALK_ETARGET);
	ck_assert_uint_eq(at, BASE + 4);
	ck_assert_int_eq(run(BASE, 1, TRACE_LEFT, 2), WALK_OK); /* the end lies before its target */
	EXPECT(0, 4);
	ck_assert_int_eq(run(BASE, 1, TRACE_LEFT, 3), WALK_ETARGET);
}
END_TEST

/* An instruction that cannot complete is in no trace. */
START_TEST(stuck)
{
	nop(&code); /* 0 */
	switch (_i) {
	case 0:
		ecall(&code);
		break;
	case 1:
		word(&code, 0x00100073);
		break;
	case 2:
		c_jalr(&code, 0); /* C.EBREAK */
		break;
	case 3:
		c_jr(&code, 0); /* reserved */
		break;
	case 4:
		half(&code, 0);
		break;
	case 5:
		word(&code, 0xFFFFFFFF);
		break;
	}
	nop(&code);
	ready(32, 0);
	ck_assert_int_eq(run(BASE, 1, TRACE_TRAP, 1), WALK_OK);
	EXPECT(0);
	ck_assert_int_eq(run(BASE, 1, TRACE_TRAP, 2), WALK_EILLEGAL);
	ck_assert_uint_eq(at, BASE + 4);
	EXPECT(0);
	ck_assert_int_eq(run(BASE, 1, TRACE_INDIRECT, 0), WALK_EILLEGAL);
	ck_assert_int_eq(run(BASE + 4, 1, TRACE_INDIRECT, 0), WALK_EILLEGAL);
	ck_assert_uint_eq(count, 0);
}
END_TEST

START_TEST(addresses)
{
	nop(&code);
	nop(&code);
	half(&code, 0x0013); /* the first half of an instruction: the other half is outside */
	ready(32, 0);
	ck_assert_int_eq(run(BASE + 1, 1, 1, 0), WALK_EODD);
	ck_assert_int_eq(run(BASE - 4, 1, 1, 0), WALK_EOUTSIDE);
	ck_assert_int_eq(run(BASE + 10, 1, 1, 0), WALK_EOUTSIDE);
	ck_assert_int_eq(run(UINT64_C(0x180000000), 1, 1, 0), WALK_EOUTSIDE);
	ck_assert_int_eq(run(BASE, 1, 1, 0), WALK_EOUTSIDE);
	ck_assert_uint_eq(at, BASE + 8);
	EXPECT(0, 4);
	ck_assert_int_eq(run(0, 1, 1, 0), WALK_EOUTSIDE);
	ck_assert_int_eq(run(0xFFFFFFFE, 1, 1, 0), WALK_EOUTSIDE);
}
END_TEST

START_TEST(trap_return)
{
	branch(&code, 0, BASE + 8); /* 0 */
	nop(&code);                 /* 4 */
	mret(&code);                /* 8 */
	nop(&code);
	ready(32, 0);
	ck_assert_int_eq(run(BASE, 3, TRACE_XRET, 0), WALK_OK);
	EXPECT(0, 8);
	ck_assert_int_eq(run(BASE, 2, TRACE_XRET, 3), WALK_OK);
	EXPECT(0, 4, 8);
	ck_assert_int_eq(run(BASE, 2, TRACE_BACKWARD, 3), WALK_EREASON);
}
END_TEST

/* Discontinuities: the instruction count says where; without it the end is unknown. */
START_TEST(discontinuity)
{
	nop(&code);                   /* 0 */
	c_branch(&code, 6, BASE + 8); /* 4 */
	c_nop(&code);                 /* 6 */
	nop(&code);                   /* 8 */
	jal(&code, 0, BASE + 20);     /* 12 */
	nop(&code);                   /* 16 */
	nop(&code);                   /* 20 */
	branch(&code, 1, BASE);       /* 24 */
	unsigned reason = (unsigned[]){TRACE_TRAP, TRACE_LEFT, TRACE_OFF}[_i];
	ready(32, 0);
	ck_assert_int_eq(run(BASE, 2, reason, 3), WALK_OK);
	EXPECT(0, 4, 6);
	ck_assert_int_eq(run(BASE, 3, reason, 2), WALK_OK);
	EXPECT(0, 4);
	ck_assert_int_eq(run(BASE, 3, reason, 5), WALK_OK);
	EXPECT(0, 4, 8, 12, 20);
	ck_assert_int_eq(run(BASE, 6, reason, 6), WALK_OK);
	EXPECT(0, 4, 8, 12, 20, 24);
	ck_assert_int_eq(run(BASE, 1, reason, 1), WALK_OK);
	EXPECT(0);
	ck_assert_int_eq(run(BASE, 1, reason, 2), WALK_EHISTORY);
	ck_assert_int_eq(run(BASE, 7, reason, 6), WALK_EREASON); /* a backward transfer would have ended it */
	ck_assert_int_eq(run(BASE, 6, reason, 5), WALK_EHISTORY);
	ck_assert_int_eq(run(BASE, 3, reason, 0), WALK_UNKNOWN_END);
	EXPECT(0, 4);
	ck_assert_int_eq(run(BASE, 1, reason, 0), WALK_UNKNOWN_END);
	ck_assert_uint_eq(count, 0);
}
END_TEST

/* A gap: the last instruction may have gone anywhere, wherever the code says that it goes; no other may. */
START_TEST(gap)
{
	nop(&code);                   /* 0 */
	c_branch(&code, 6, BASE + 8); /* 4 */
	branch(&code, 0, BASE + 10);  /* 6: to the next instruction */
	jal(&code, 0, BASE + 16);     /* 10 */
	c_nop(&code);                 /* 14 */
	nop(&code);                   /* 16 */
	branch(&code, 1, BASE);       /* 20 */
	jalr(&code, 0, 1, 0);         /* 24 */
	ready(32, 0);
	/* as any discontinuity: behind a plain instruction, behind a jump */
	ck_assert_int_eq(run(BASE, 1, TRACE_GAP, 1), WALK_OK);
	EXPECT(0);
	ck_assert_int_eq(run(BASE, 4, TRACE_GAP, 4), WALK_OK);
	EXPECT(0, 4, 6, 10);
	ck_assert_int_eq(run(BASE, 4, TRACE_GAP, 5), WALK_OK);
	EXPECT(0, 4, 6, 10, 16);
	/* a branch to the next instruction that went elsewhere: only as the last one */
	ck_assert_int_eq(run(BASE, 5, TRACE_GAP, 3), WALK_OK);
	EXPECT(0, 4, 6);
	ck_assert_int_eq(run(BASE, 5, TRACE_GAP, 4), WALK_EHISTORY);
	ck_assert_uint_eq(at, BASE + 6);
	ck_assert_int_eq(run(BASE, 10, TRACE_GAP, 6), WALK_EHISTORY);
	ck_assert_int_eq(run(BASE, 5, TRACE_TRAP, 3), WALK_EHISTORY);
	/* what would have ended the trace by itself: the last one, and the gap is the reason */
	ck_assert_int_eq(run(BASE, 9, TRACE_GAP, 6), WALK_OK);
	EXPECT(0, 4, 6, 10, 16, 20);
	ck_assert_int_eq(run(BASE, 9, TRACE_GAP, 7), WALK_EREASON);
	ck_assert_uint_eq(at, BASE + 20);
	ck_assert_int_eq(run(BASE, 9, TRACE_LEFT, 6), WALK_EREASON);
	ck_assert_int_eq(run(BASE, 8, TRACE_GAP, 7), WALK_OK);
	EXPECT(0, 4, 6, 10, 16, 20, 24);
	ck_assert_int_eq(run(BASE, 8, TRACE_LEFT, 7), WALK_EREASON);
	/* the history must be used up */
	ck_assert_int_eq(run(BASE, 8, TRACE_GAP, 5), WALK_EHISTORY);
	/* without a count: what is certain, up to the last outcome */
	ck_assert_int_eq(run(BASE, 4, TRACE_GAP, 0), WALK_UNKNOWN_END);
	EXPECT(0, 4, 6);
	ck_assert_int_eq(run(BASE, 5, TRACE_GAP, 0), WALK_UNKNOWN_END);
	EXPECT(0, 4, 6);
	ck_assert_int_eq(run(BASE, 11, TRACE_GAP, 0), WALK_EHISTORY);
}
END_TEST

/* NO_INDIRECT: returns of calls made in the same trace, nested, with both link registers, and none beyond. */
START_TEST(calls)
{
	jal(&code, 1, BASE + 32);    /* 0 */
	nop(&code);                  /* 4 */
	c_jump(&code, 1, BASE + 40); /* 8: C.JAL */
	c_nop(&code);                /* 10 */
	branch(&code, 0, BASE);      /* 12 */
	jalr(&code, 0, 1, 0);        /* 16 */
	while (code.at < 32)
		c_nop(&code);
	jal(&code, 5, BASE + 48); /* 32 */
	jalr(&code, 0, 1, 0);     /* 36 */
	nop(&code);               /* 40 */
	c_jr(&code, 1);           /* 44 */
	c_nop(&code);             /* 46 */
	jalr(&code, 0, 5, 0);     /* 48 */
	ready(32, NO_INDIRECT | NO_BACKWARD);
	ck_assert_int_eq(run(BASE, 2, TRACE_LEFT, 11), WALK_OK);
	EXPECT(0, 32, 48, 36, 4, 8, 40, 44, 10, 12, 16);
	ck_assert_int_eq(run(BASE, 2, TRACE_FULL, 0), WALK_ETARGET);
	ck_assert_uint_eq(at, BASE + 16);
	ck_assert_int_eq(run(BASE + 36, 1, TRACE_FULL, 0), WALK_ETARGET);
	ck_assert_int_eq(run(BASE + 48, 1, TRACE_FULL, 0), WALK_ETARGET);
	ready(8, NO_INDIRECT | NO_BACKWARD);
	ck_assert_int_eq(run(BASE + 12, 0xFF, TRACE_FULL, 0), WALK_OK);
	ck_assert_uint_eq(count, 7 + 6 * 9);
}
END_TEST

static int stop_at_once(void *context, const struct walk_visit *visit)
{
	(void)visit;
	++*(int *)context;
	return 1;
}

START_TEST(stopped)
{
	int visits = 0;
	const struct record record = {.start = BASE, .hist = 1, .reason = TRACE_BACKWARD};
	for (int i = 0; i < 100; i++)
		nop(&code); /* several blocks */
	jal(&code, 0, BASE);
	ready(32, 0);
	ck_assert_int_eq(walk_record(walk, &record, stop_at_once, &visits, NULL), WALK_ESTOPPED);
	ck_assert_int_eq(visits, 1);
	ck_assert_int_eq(walk_record(walk, &record, NULL, NULL, NULL), WALK_OK);
	for (int error = WALK_ENOMEM; error <= WALK_UNKNOWN_END; error++)
		ck_assert_str_ne(walk_strerror(error), "unknown error");
	ck_assert_str_eq(walk_strerror(WALK_EWRITTEN - 1), "unknown error");
}
END_TEST

int main(void)
{
	const struct suite_case cases[] = {
	    {"rules", branches, 8},
	    {"rules", backward_ends, 0},
	    {"rules", branch_to_next, 0},
	    {"rules", full, 0},
	    {"rules", indirect, 6},
	    {"rules", stuck, 6},
	    {"rules", addresses, 0},
	    {"rules", trap_return, 0},
	    {"rules", discontinuity, 3},
	    {"rules", gap, 0},
	    {"rules", calls, 0},
	    {"rules", stopped, 0},
	};
	return SUITE_RUN("walk", cases, setup, teardown);
}
